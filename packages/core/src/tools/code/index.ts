import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { runCode } from "./runCode.ts"

export { runCode }

/** The area's specifications, in the order of the catalogue. */
export const codeSpecifications = [runCode] as const

/**
 * What answers them, by name. Modules that an engine loads when it is built: who reads the specifications gets no
 * handler. The default export, which `export *` passes over.
 */
export default {
  run_code: () => import("./runCode.handler.ts")
} satisfies HandlersFrom<typeof codeSpecifications>
