#!/usr/bin/env node
import "./oldNode.ts"
import "./brokenOutput.ts"
import "./usage.ts"
import { keepCompiled } from "./compileCache.ts"

// The cache is enabled before large modules load. Statically imported modules are compiled before this line runs.
const compiled = keepCompiled(process.env)
const { serve } = await import("./serve.ts")
serve(compiled)
