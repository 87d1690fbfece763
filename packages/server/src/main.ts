#!/usr/bin/env node
import "./oldNode.ts"
import "./brokenOutput.ts"
import "./usage.ts"
import { keepCompiled } from "./compileCache.ts"

// Before anything that is large: what is imported by a statement is compiled before this line runs.
const compiled = keepCompiled(process.env)
const { serve } = await import("./serve.ts")
serve(compiled)
