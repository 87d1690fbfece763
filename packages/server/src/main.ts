#!/usr/bin/env node
import "./nodeVersionCheck.ts"
import "./ignoreOutputErrors.ts"
import "./usage.ts"
import { enableCache } from "./compileCache.ts"

// Node compiles statically imported modules before any code runs, so large modules are imported dynamically.
const compiled = enableCache(process.env)
const { serve } = await import("./serve.ts")
serve(compiled)
