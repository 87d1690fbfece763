import type { ReactNode } from "react"
import type { Asked } from "../asking/useAsk.ts"
import { Skeleton, TroubleNote, TroubleState } from "./states.tsx"

/** Shows what was asked for: that it is on its way, what went wrong, or what came, with a note where it is old. */
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
