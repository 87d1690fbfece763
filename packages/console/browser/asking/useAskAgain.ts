import { useQueryClient } from "@tanstack/react-query"
import { useAccess } from "../access/Access.tsx"
import type { Ask } from "./ask.ts"
import { keyOf } from "./cost.ts"

/** Requests these calls again, each once, if a part of the page shows them. */
export const useAskAgain = (): (asks: ReadonlyArray<Ask>) => void => {
  const kept = useQueryClient()
  const { identity } = useAccess()
  return (asks) => {
    for (const ask of asks) {
      void kept.refetchQueries({ queryKey: [identity, ...keyOf(ask)], exact: true, type: "active" })
    }
  }
}
