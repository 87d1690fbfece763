#!/usr/bin/env node
import "./oldNode.ts"
import { setFlagsFromString } from "node:v8"
import { keepCompiled } from "./compileCache.ts"

// The embedded database has a function of which V8 makes its best code at a start that has long passed it, in a second
// of another core and in 600 MB. It is put off until code has run ten times as long.
setFlagsFromString("--wasm-tiering-budget=130000000")

// Before anything that is large: what is imported by a statement is compiled before this line runs.
const compiled = keepCompiled(process.env)
const { serve } = await import("./serve.ts")
serve(compiled)
