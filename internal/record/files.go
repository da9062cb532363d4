package record

import (
	"fmt"
	"os"
	"path/filepath"
)

// Files returns the files of the record at path, which is one of them itself or
// a folder whose .txt files belong together, in the order of their names, and
// the folder that they are in. A folder without any is an error.
func Files(path string) (files []string, folder string, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("record: %w", err)
	case !info.IsDir():
		return []string{path}, filepath.Dir(path), nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, "", fmt.Errorf("record: %w", err)
	}
	for _, entry := range entries {
		if !entry.IsDir() && filepath.Ext(entry.Name()) == ".txt" {
			files = append(files, filepath.Join(path, entry.Name()))
		}
	}
	if len(files) == 0 {
		return nil, "", fmt.Errorf("record: no .txt files in %s", path)
	}
	return files, path, nil
}
