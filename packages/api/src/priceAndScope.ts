import type { Scope } from "@tapeline/core/specifications"
import type { Json } from "./example.ts"

/** Returns a function that adds a price in credits and a scope to an OpenAPI operation. */
export const withPriceAndScope =
  (price: { readonly credits?: number; readonly scope: Scope }) => (operation: Json): Json => ({
    ...operation,
    "x-credits": price.credits ?? 0,
    "x-scope": price.scope
  })
