import { useAskAgain } from "../../asking/useAskAgain.ts"
import { useToldBefore } from "../../asking/useToldBefore.ts"
import { useWrite, type Writing } from "../../asking/useWrite.ts"
import { type Closed, portfolioRiskAsk, positionsAsk, type Recorded } from "./asks.ts"
import { without, withRecorded } from "./journal.ts"
import type { changedPosition, PositionArguments } from "./typedPosition.ts"

/** Updates the cached list of positions after a write: immediately, and then with a new request at market prices. */
const useListAnew = () => {
  const { change, outdate } = useToldBefore()
  const askAgain = useAskAgain()
  return {
    recorded: (position: Recorded) => {
      change(positionsAsk, (before) => withRecorded(before, position))
      outdate(positionsAsk.tool, portfolioRiskAsk.tool)
      askAgain([positionsAsk])
    },
    gone: (id: number) => {
      change(positionsAsk, (before) => without(before, id))
      outdate(portfolioRiskAsk.tool)
    },
    traded: () => outdate("get_trade_history", "get_journal_stats")
  }
}

export const useRecord = (done: (position: Recorded) => void): Writing<PositionArguments> => {
  const list = useListAnew()
  return useWrite(
    "set_position",
    (client, args: PositionArguments, options) => client.tools.set_position(args, options),
    ({ position }) => {
      list.recorded(position)
      done(position)
    }
  )
}

type Changes = NonNullable<ReturnType<typeof changedPosition>["args"]>

export const useChange = (done: (position: Recorded) => void): Writing<Changes> => {
  const list = useListAnew()
  return useWrite(
    "update_position",
    (client, args: Changes, options) => client.tools.update_position(args, options),
    ({ position }) => {
      list.recorded(position)
      done(position)
    }
  )
}

export interface Closing {
  readonly id: number
  readonly exit: number
  readonly fraction: number
  readonly fees_usd?: number
  readonly notes?: string
}

export const useClose = (done: (closed: Closed) => void): Writing<Closing> => {
  const list = useListAnew()
  return useWrite(
    "close_position",
    (client, args: Closing, options) => client.tools.close_position(args, options),
    (closed, { id }) => {
      if (closed.position === null) list.gone(id)
      else list.recorded(closed.position)
      list.traded()
      done(closed)
    }
  )
}

export const useDelete = (done: () => void): Writing<number> => {
  const list = useListAnew()
  return useWrite(
    "delete_position",
    (client, id: number, options) => client.tools.delete_position({ id }, options),
    (_, id) => {
      list.gone(id)
      done()
    }
  )
}
