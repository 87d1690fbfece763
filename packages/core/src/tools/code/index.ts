import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { runCode } from "./runCode.ts"

export { runCode }

/** The specifications of the code tools, in the order of the catalogue. */
export const codeSpecifications = [runCode] as const

/**
 * The handlers of the code tools, by tool name. Each handler is a module that an engine loads when it is built, so that
 * importing the specifications loads no handler. `export *` does not re-export a default export.
 */
export default {
  run_code: () => import("./runCode.handler.ts")
} satisfies HandlersFrom<typeof codeSpecifications>
