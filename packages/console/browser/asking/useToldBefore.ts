import { useQueryClient } from "@tanstack/react-query"
import { useAccess } from "../access/Access.tsx"
import type { Ask } from "./ask.ts"
import { keyOf } from "./cost.ts"

/** What pages keep of what tools told. */
export interface ToldBefore {
  /** Changes an answer that is kept by what is known since, at no cost; nothing where none is kept. */
  readonly change: <A>(ask: Ask<A>, to: (before: A) => A) => void
  /** What these tools told is old now: it is asked for again when it is opened next, not before. */
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
