package chart

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
)

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// check refuses a chart that could not be drawn as it is meant.
func (c *Chart) check() error {
	switch {
	case !nameForm.MatchString(c.Name):
		return errors.New("a name is small letters, digits and hyphens")
	case c.Title == "" || c.Alt == "":
		return errors.New("a chart without a title or an alternative text")
	case len(c.Bands) == 0 || len(c.Bands[0].Panels) == 0:
		return errors.New("a chart without panels")
	}
	kind := c.Bands[0].Panels[0].holds()
	for _, b := range c.Bands {
		if len(b.Panels) != len(c.Bands[0].Panels) {
			return errors.New("bands differ in how many panels they have")
		}
		for _, p := range b.Panels {
			if p.holds() != kind {
				return fmt.Errorf("panel %q holds %s, and others %s", p.Title, p.holds(), kind)
			}
			if !slices.Equal(p.rows(), b.Panels[0].rows()) {
				return fmt.Errorf("panel %q has other rows than the panel beside it", p.Title)
			}
			if err := c.checkPanel(p, b.Y); err != nil {
				return fmt.Errorf("panel %q: %w", p.Title, err)
			}
		}
	}
	return nil
}

func (p Panel) holds() string {
	switch {
	case p.Bars != nil:
		return "bars"
	case p.Stack != nil:
		return "a stack"
	}
	return "lines"
}

// rows are the names of its rows, if it has any.
func (p Panel) rows() []string {
	if p.Bars == nil {
		return nil
	}
	var names []string
	for _, row := range p.Bars.Rows {
		names = append(names, row.Name)
	}
	return names
}

func (c *Chart) checkPanel(p Panel, y Axis) error {
	var errs []error
	for _, l := range p.Lines {
		for _, pt := range l.Points {
			errs = append(errs, c.X.check(pt.X, pt.X, pt.X), y.check(pt.At, pt.Lo, pt.Hi))
		}
	}
	if p.Mark != nil {
		errs = append(errs, c.X.check(p.Mark.At, p.Mark.At, p.Mark.At))
	}
	if p.Bars != nil {
		errs = append(errs, p.Bars.check(c.X))
	}
	if p.Stack != nil {
		errs = append(errs, p.Stack.check(y))
	}
	return errors.Join(errs...)
}

func (b Bars) check(x Axis) error {
	for _, row := range b.Rows {
		if len(row.Values) != len(b.Series) {
			return fmt.Errorf("row %q has %d values for %d series", row.Name, len(row.Values), len(b.Series))
		}
		for _, v := range row.Values {
			if v == nil {
				continue
			}
			if err := x.check(v.At, v.Lo, v.Hi); err != nil {
				return fmt.Errorf("row %q: %w", row.Name, err)
			}
		}
	}
	return nil
}

func (s Stack) check(y Axis) error {
	if y.Log {
		return errors.New("parts do not add up on a logarithmic axis")
	}
	for _, col := range s.Columns {
		if len(col.Values) != len(s.Parts) && !col.gap() {
			return fmt.Errorf("column %q has %d values for %d parts", col.Name, len(col.Values), len(s.Parts))
		}
		for _, v := range col.Values {
			if err := y.check(v.At, v.At, v.At); err != nil {
				return fmt.Errorf("column %q: %w", col.Name, err)
			}
		}
	}
	return nil
}

// check refuses a value without a place on the axis.
func (a Axis) check(at, lo, hi float64) error {
	switch {
	case math.IsNaN(at+lo+hi) || math.IsInf(at+lo+hi, 0):
		return fmt.Errorf("%v (%v to %v) is no value", at, lo, hi)
	case lo > at || hi < at:
		return fmt.Errorf("%v is not from %v to %v", at, lo, hi)
	case a.Log && lo <= 0:
		return fmt.Errorf("%v has no place on a logarithmic axis", lo)
	}
	return nil
}
