import { implementAll } from "../engine/tool/implement.ts"
import handlersOfAll, { specifications } from "./specifications.ts"

/** All tools with their handlers, in the order of the catalogue. */
export const tools = implementAll(specifications, handlersOfAll())
