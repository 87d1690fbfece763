import { implementAll } from "../engine/tool/implement.ts"
import handlersOfAll, { specifications } from "./specifications.ts"

/**
 * All tools with their handlers, in the order of the catalogue. `Toolbox.layer(tools)` builds the toolbox. A
 * specification without a handler does not compile.
 */
export const tools = implementAll(specifications, handlersOfAll())
