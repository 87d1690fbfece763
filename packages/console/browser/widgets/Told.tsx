import type { ReactNode } from "react"
import type { Asked } from "../asking/useAsk.ts"
import { Skeleton, TroubleNote, TroubleState } from "./states.tsx"

/** Shows the state of a request: loading, an error, or the data. If a refresh failed, it adds a note to the data. */
export const Told = <A extends object>({ children, of: asked, waiting = <Skeleton /> }: {
  readonly of: Asked<A>
  readonly children: (data: A) => ReactNode
  readonly waiting?: ReactNode
}) => {
  if (asked.state === "waiting") return waiting
  if (asked.state === "trouble") return <TroubleState trouble={asked.trouble} again={asked.again} />
  return (
    <>
      {asked.trouble !== undefined && <TroubleNote trouble={asked.trouble} again={asked.again} />}
      {children(asked.data)}
    </>
  )
}
