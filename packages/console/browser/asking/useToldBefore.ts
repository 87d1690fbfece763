import { useQueryClient } from "@tanstack/react-query"
import { useAccess } from "../access/Access.tsx"
import type { Ask } from "./ask.ts"
import { keyOf } from "./cost.ts"

/** Changes cached results of tools. */
export interface ToldBefore {
  /** Updates the cached result of a call without a request. Does nothing if no result is cached. */
  readonly change: <A>(ask: Ask<A>, to: (before: A) => A) => void
  /** Marks the results of these tools as stale. They are requested again only when they are next opened. */
  readonly outdate: (...tools: ReadonlyArray<string>) => void
}

export const useToldBefore = (): ToldBefore => {
  const kept = useQueryClient()
  const { identity } = useAccess()
  return {
    change: <A>(ask: Ask<A>, to: (before: A) => A) =>
      void kept.setQueryData<A>(
        [identity, ...keyOf(ask)],
        (before) => before === undefined ? undefined : to(before)
      ),
    outdate: (...tools) =>
      void kept.invalidateQueries({
        predicate: ({ queryKey: [whose, what, tool] }) =>
          whose === identity && what === "tool" && tools.some((one) => one === tool),
        refetchType: "none"
      })
  }
}
