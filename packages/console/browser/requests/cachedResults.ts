import { useQueryClient } from "@tanstack/react-query"
import { useAccess } from "../access/Access.tsx"
import { queryKeyOf, type ToolQuery } from "./toolQuery.ts"

/** Returns a function that repeats the given tool calls if a page currently shows their results. */
export const useRefetch = (): (queries: ReadonlyArray<ToolQuery>) => void => {
  const queryClient = useQueryClient()
  const { identity } = useAccess()
  return (queries) => {
    for (const query of queries) {
      void queryClient.refetchQueries({ queryKey: [identity, ...queryKeyOf(query)], exact: true, type: "active" })
    }
  }
}

export interface CachedResults {
  /** Updates the cached result of a tool call, if any, without a request. */
  readonly update: <A>(query: ToolQuery<A>, updateResult: (before: A) => A) => void
  /** Marks all cached results of the given tools as stale. A page requests a stale result again when the page opens. */
  readonly invalidate: (...tools: ReadonlyArray<string>) => void
}

export const useCachedResults = (): CachedResults => {
  const queryClient = useQueryClient()
  const { identity } = useAccess()
  return {
    update: <A>(query: ToolQuery<A>, updateResult: (before: A) => A) =>
      void queryClient.setQueryData<A>(
        [identity, ...queryKeyOf(query)],
        (before) => before === undefined ? undefined : updateResult(before)
      ),
    invalidate: (...tools) =>
      void queryClient.invalidateQueries({
        predicate: ({ queryKey: [ownerId, queryType, tool] }) =>
          ownerId === identity && queryType === "tool" && tools.some((name) => name === tool),
        refetchType: "none"
      })
  }
}
