import { Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./manifest.ts"
import { toolNeeds } from "./toolNeeds.ts"
import { toolReference } from "./toolReference.ts"

mkdirSync(join(root, "docs/reference"), { recursive: true })
writeFileSync(join(root, "docs/reference/tools.md"), toolReference(await Effect.runPromise(toolNeeds)))
