import { implementAll } from "../tool/implement.ts"
import cryptoHandlers from "./crypto/index.ts"
import koreaHandlers from "./korea/index.ts"
import signalsHandlers from "./signals/index.ts"
import { specifications } from "./specifications.ts"
import usHandlers from "./us/index.ts"

/**
 * Every tool with its handler, in the order of the catalogue. `Toolbox.layer(tools)` makes them ready. A specification
 * whose area's handlers are not here does not compile.
 */
export const tools = implementAll(specifications, {
  ...cryptoHandlers,
  ...signalsHandlers,
  ...koreaHandlers,
  ...usHandlers
})
