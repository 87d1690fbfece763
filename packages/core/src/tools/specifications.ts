import type { ToolSpecification } from "../tool/specification.ts"
import { cryptoSpecifications } from "./crypto/index.ts"
import { koreaSpecifications } from "./korea/index.ts"
import { signalsSpecifications } from "./signals/index.ts"
import { usSpecifications } from "./us/index.ts"

export * from "./crypto/index.ts"
export * from "./korea/index.ts"
export * from "./signals/index.ts"
export * from "./us/index.ts"

/** Every tool's specification, in the order of the catalogue. Free of handlers, for browsers. */
export const specifications = [
  ...cryptoSpecifications,
  ...signalsSpecifications,
  ...koreaSpecifications,
  ...usSpecifications
] as const satisfies ReadonlyArray<ToolSpecification>
