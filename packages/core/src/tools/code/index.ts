import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { runCode } from "./runCode.ts"

export { runCode }

export const codeSpecifications = [runCode] as const

/** Functions that import the handlers of the code tools, by tool name. */
export default {
  run_code: () => import("./runCode.handler.ts")
} satisfies HandlersFrom<typeof codeSpecifications>
