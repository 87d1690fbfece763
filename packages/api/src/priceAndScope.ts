import type { Scope } from "@tapeline/core/specifications"
import type { Json } from "./example.ts"

/** Returns a function that annotates an OpenAPI operation with a price and a scope. */
export const withPriceAndScope =
  (price: { readonly credits?: number; readonly scope: Scope }) => (operation: Json): Json => ({
    ...operation,
    "x-credits": price.credits ?? 0,
    "x-scope": price.scope
  })
