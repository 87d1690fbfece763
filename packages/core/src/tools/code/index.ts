import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { runCode } from "./runCode.ts"

export { runCode }

/** The area's specifications, in the order of the catalogue. */
export const codeSpecifications = [runCode] as const

/**
 * The handlers by tool name. They are modules that an engine loads when it is built, so that importing the
 * specifications loads no handler. A default export, which `export *` does not re-export.
 */
export default {
  run_code: () => import("./runCode.handler.ts")
} satisfies HandlersFrom<typeof codeSpecifications>
