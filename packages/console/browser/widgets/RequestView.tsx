import type { ReactNode } from "react"
import type { RequestState } from "../requests/useRequest.ts"
import { ProblemNote, ProblemState, Skeleton } from "./states.tsx"

/**
 * Shows the state of a request: loading, an error, or the data. If a refresh failed, shows an error note above the
 * data.
 */
export const RequestView = <A extends object>({ children, request, placeholder = <Skeleton /> }: {
  readonly request: RequestState<A>
  readonly children: (data: A) => ReactNode
  readonly placeholder?: ReactNode
}) => {
  if (request.state === "waiting") return placeholder
  if (request.state === "failed") return <ProblemState problem={request.problem} onRetry={request.refresh} />
  return (
    <>
      {request.problem !== undefined && <ProblemNote problem={request.problem} onRetry={request.refresh} />}
      {children(request.data)}
    </>
  )
}
