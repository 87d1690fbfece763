import { x } from "@tapeline/quant"
import { expect, it } from "vitest"
it("x", () => expect(x).toBe(1))
