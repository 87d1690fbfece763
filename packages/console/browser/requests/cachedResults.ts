import { useQueryClient } from "@tanstack/react-query"
import { useAccess } from "../access/Access.tsx"
import { queryKeyOf, type ToolQuery } from "./toolQuery.ts"

/** Requests these calls again, each once, if a part of the page shows them. */
export const useRefetch = (): (queries: ReadonlyArray<ToolQuery>) => void => {
  const queryClient = useQueryClient()
  const { identity } = useAccess()
  return (queries) => {
    for (const query of queries) {
      void queryClient.refetchQueries({ queryKey: [identity, ...queryKeyOf(query)], exact: true, type: "active" })
    }
  }
}

/** Changes cached results of tools. */
export interface CachedResults {
  /** Updates the cached result of a call without a request. Does nothing if no result is cached. */
  readonly update: <A>(query: ToolQuery<A>, updateResult: (before: A) => A) => void
  /** Marks the results of these tools as stale. They are requested again only when they are next opened. */
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
