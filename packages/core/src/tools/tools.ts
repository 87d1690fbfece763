import { implementAll } from "../engine/tool/implement.ts"
import handlersOfAll, { specifications } from "./specifications.ts"

/**
 * Every tool with its handler, in the order of the catalogue. `Toolbox.layer(tools)` makes them ready. A specification
 * whose area's handlers are not in the one list does not compile.
 */
export const tools = implementAll(specifications, handlersOfAll())
