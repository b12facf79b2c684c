package calibrate

import _ "embed"

//go:embed schema/profile-v1.json
var schemaProfileV1 string

// JSONSchema returns the JSON Schema (draft 2020-12) of [Profile] as it is
// written.
func JSONSchema() string { return schemaProfileV1 }
