import type { Scope } from "@tapeline/core/specifications"
import type { Json } from "./example.ts"

/** What an operation costs and which scope opens it, for its annotations; what says neither is free to every key. */
export const onTerms = (terms: { readonly credits?: number; readonly scope: Scope }) => (operation: Json): Json => ({
  ...operation,
  "x-credits": terms.credits ?? 0,
  "x-scope": terms.scope
})
