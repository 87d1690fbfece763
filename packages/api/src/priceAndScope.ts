import type { Scope } from "@tapeline/core/specifications"
import type { Json } from "./example.ts"

/** Annotates an operation with its price and scope. Without this annotation, an operation is free for every key. */
export const withPriceAndScope =
  (price: { readonly credits?: number; readonly scope: Scope }) => (operation: Json): Json => ({
    ...operation,
    "x-credits": price.credits ?? 0,
    "x-scope": price.scope
  })
