#!/usr/bin/env node
import "./nodeVersionCheck.ts"
import "./ignoreOutputErrors.ts"
import "./usage.ts"
import { enableCache } from "./compileCache.ts"

// The cache is enabled before large modules load. Statically imported modules are compiled before this line runs.
const compiled = enableCache(process.env)
const { serve } = await import("./serve.ts")
serve(compiled)
