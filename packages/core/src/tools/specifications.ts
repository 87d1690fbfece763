import type { ToolSpecification } from "../tool/specification.ts"
import { getPrice } from "./crypto/getPrice.ts"

/** Every tool's specification, in the order of the catalogue. Free of handlers, for browsers. */
export const specifications = [getPrice] as const satisfies ReadonlyArray<ToolSpecification>
