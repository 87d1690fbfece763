import { useCachedResults, useRefetch } from "../../requests/cachedResults.ts"
import { useWrite, type WriteAction } from "../../requests/useWrite.ts"
import { withoutPosition, withPosition } from "./journal.ts"
import type { parseChangedPosition, PositionArguments } from "./positionDraft.ts"
import { type ClosedPosition, portfolioRiskQuery, positionsQuery, type RecordedPosition } from "./queries.ts"

/**
 * Returns functions that update the cached list of positions after a write. Each function also requests the list of
 * positions again, to get values at market prices.
 */
const usePositionListUpdates = () => {
  const { update, invalidate } = useCachedResults()
  const refetch = useRefetch()
  return {
    onRecorded: (position: RecordedPosition) => {
      update(positionsQuery, (before) => withPosition(before, position))
      invalidate(positionsQuery.tool, portfolioRiskQuery.tool)
      refetch([positionsQuery])
    },
    onRemoved: (id: number) => {
      update(positionsQuery, (before) => withoutPosition(before, id))
      invalidate(portfolioRiskQuery.tool)
    },
    onTraded: () => invalidate("get_trade_history", "get_journal_stats")
  }
}

export const useRecordPosition = (onDone: (position: RecordedPosition) => void): WriteAction<PositionArguments> => {
  const updates = usePositionListUpdates()
  return useWrite(
    "set_position",
    (client, args: PositionArguments, options) => client.tools.set_position(args, options),
    ({ position }) => {
      updates.onRecorded(position)
      onDone(position)
    }
  )
}

type Changes = NonNullable<ReturnType<typeof parseChangedPosition>["args"]>

export const useChangePosition = (onDone: (position: RecordedPosition) => void): WriteAction<Changes> => {
  const updates = usePositionListUpdates()
  return useWrite(
    "update_position",
    (client, args: Changes, options) => client.tools.update_position(args, options),
    ({ position }) => {
      updates.onRecorded(position)
      onDone(position)
    }
  )
}

export interface CloseArguments {
  readonly id: number
  readonly exit: number
  readonly fraction: number
  readonly fees_usd?: number
  readonly notes?: string
}

export const useClosePosition = (onDone: (result: ClosedPosition) => void): WriteAction<CloseArguments> => {
  const updates = usePositionListUpdates()
  return useWrite(
    "close_position",
    (client, args: CloseArguments, options) => client.tools.close_position(args, options),
    (result, { id }) => {
      if (result.position === null) updates.onRemoved(id)
      else updates.onRecorded(result.position)
      updates.onTraded()
      onDone(result)
    }
  )
}

export const useDeletePosition = (onDone: () => void): WriteAction<number> => {
  const updates = usePositionListUpdates()
  return useWrite(
    "delete_position",
    (client, id: number, options) => client.tools.delete_position({ id }, options),
    (_, id) => {
      updates.onRemoved(id)
      onDone()
    }
  )
}
