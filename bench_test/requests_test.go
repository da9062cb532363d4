package bench_test

import (
	"encoding/json"
	"fmt"

	"mcpbench/internal/mcp"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// requests are the prebuilt calls of one surface, by the method whose metrics they make.
type requests map[record.Method]*mcp.Request

// buildRequests prepares the calls of the point scenarios. A surface without a search of its own has
// no record.Find.
func buildRequests(s *scenarios.Subject, surface *scenarios.SurfaceSpec, vars scenarios.Vars) (requests, error) {
	version := mcp.Version(s.Protocol)
	specs := map[record.Method]mcp.Spec{
		record.Resources: {Method: "resources/list"},
		record.List:      {Method: "tools/list", Expect: mcp.Expect{Tools: surface.Tools, Bytes: surface.ListingBytes}},
	}
	for method, name := range map[record.Method]string{record.Call: scenarios.CallRead, record.Find: scenarios.CallFind} {
		call, ok := surface.Calls[name]
		if !ok {
			continue
		}
		spec, err := callSpec(call, vars)
		if err != nil {
			return nil, err
		}
		specs[method] = spec
	}
	out := make(requests, len(specs))
	for method, spec := range specs {
		spec.Label, spec.Version = string(method), version
		request, err := mcp.NewRequest(spec)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", spec.Method, err)
		}
		out[method] = request
	}
	return out, nil
}

// callSpec is a tools/call as the subject file describes it.
func callSpec(call *scenarios.Call, vars scenarios.Vars) (mcp.Spec, error) {
	arguments, contains, err := vars.ExpandCall(call)
	if err != nil {
		return mcp.Spec{}, err
	}
	params, err := json.Marshal(map[string]any{"name": call.Tool, "arguments": arguments})
	if err != nil {
		return mcp.Spec{}, err
	}
	return mcp.Spec{
		Method: "tools/call", Name: call.Tool, Params: params,
		Expect: mcp.Expect{Contains: contains, Error: call.Error},
	}, nil
}
