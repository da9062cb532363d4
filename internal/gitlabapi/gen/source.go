package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// source is what the client's text says about its methods and constants.
type source struct {
	methods map[string]declared
	types   map[string]string   // named type to its underlying basic type
	values  map[string][]string // named type to its constants
}

// declared is one method declaration.
type declared struct {
	args       []string
	deprecated bool
	opensFile  bool
}

// parseSource reads every Go file of dir that is not a test.
func parseSource(dir string) (*source, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	src := &source{methods: map[string]declared{}, types: map[string]string{}, values: map[string][]string{}}
	fset := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		src.add(file)
	}
	return src, nil
}

func (s *source) add(file *ast.File) {
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if recv := receiver(d); recv != "" && d.Name.IsExported() {
				s.methods[recv+"."+d.Name.Name] = declaredOf(d)
			}
		case *ast.GenDecl:
			s.addSpecs(d)
		}
	}
}

// receiver is the name of the type a method belongs to, or "" for a plain function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	id, _ := t.(*ast.Ident)
	if id == nil {
		return ""
	}
	return id.Name
}

func declaredOf(d *ast.FuncDecl) declared {
	var m declared
	for _, field := range d.Type.Params.List {
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			continue
		}
		for _, name := range field.Names {
			m.args = append(m.args, name.Name)
		}
	}
	m.deprecated = d.Doc != nil && strings.Contains(d.Doc.Text(), "Deprecated:")
	m.opensFile = opensFile(d.Body)
	return m
}

// opensFile reports whether a body calls os.Open or one of its kin.
func opensFile(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			pkg, _ := sel.X.(*ast.Ident)
			opens := []string{"Open", "OpenFile", "ReadFile", "Create", "WriteFile", "DirFS", "OpenRoot"}
			found = found || pkg != nil && pkg.Name == "os" && slices.Contains(opens, sel.Sel.Name)
		}
		return !found
	})
	return found
}

// addSpecs keeps named basic types, and typed constants with a literal value.
func (s *source) addSpecs(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch sp := spec.(type) {
		case *ast.TypeSpec:
			if id, ok := sp.Type.(*ast.Ident); ok {
				s.types[sp.Name.Name] = id.Name
			}
		case *ast.ValueSpec:
			id, ok := sp.Type.(*ast.Ident)
			if d.Tok != token.CONST || !ok || len(sp.Values) != 1 {
				continue
			}
			if lit, ok := sp.Values[0].(*ast.BasicLit); ok {
				s.addValue(id.Name, literal(lit))
			}
		}
	}
}

// literal is the text of a constant, without quotes.
func literal(lit *ast.BasicLit) string {
	if text, err := strconv.Unquote(lit.Value); err == nil {
		return text
	}
	return lit.Value
}

func (s *source) addValue(typ, value string) {
	if value != "" && !slices.Contains(s.values[typ], value) {
		s.values[typ] = append(s.values[typ], value)
	}
}

// enums makes a row for each string or integer type with constants.
func (s *source) enums() []byte {
	var names []string
	for name := range s.values {
		if basic := s.types[name]; ast.IsExported(name) && (basic == "string" || strings.HasPrefix(basic, "int")) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var b bytes.Buffer
	for _, name := range names {
		b.WriteString(name + "\t" + strings.Join(s.values[name], "\t") + "\n")
	}
	return b.Bytes()
}
