#!/usr/bin/env node
import "./nodeVersionCheck.ts"
import "./ignoreOutputErrors.ts"
import "./usage.ts"
import { enableCache } from "./compileCache.ts"

// Enables the compile cache before large modules load. Node compiles statically imported modules before this line runs.
const compiled = enableCache(process.env)
const { serve } = await import("./serve.ts")
serve(compiled)
