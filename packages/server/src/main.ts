#!/usr/bin/env node
import "./nodeVersionCheck.ts"
import "./ignoreOutputErrors.ts"
import "./usage.ts"
import { enableCache } from "./compileCache.ts"

// Large modules are imported dynamically, because Node compiles statically imported modules before any code runs.
const compiled = enableCache(process.env)
const { serve } = await import("./serve.ts")
serve(compiled)
