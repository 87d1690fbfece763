import type { AccountCall, AdminAccount } from "@tapeline/client/admin"
import { Undo2 } from "lucide-react"
import { useMemo, useState } from "react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { actionsColumn, type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { Badge, Panel } from "../../widgets/layout.tsx"
import lists from "../../widgets/lists.module.css"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState } from "../../widgets/states.tsx"
import { AdjustDialog } from "./AdjustDialog.tsx"
import { useAdminRequest } from "./adminAccess.tsx"
import { creditTexts } from "./creditTexts.ts"
import { Pager } from "./Pager.tsx"
import { parseCursor } from "./queryParameters.ts"

const variants = { reserved: "tape", settled: "good", released: "plain", expired: "plain" } as const

const CallState = ({ refund, state }: Pick<AccountCall, "refund" | "state">) => {
  const texts = useTexts(creditTexts)
  const { integer } = useNumbers()
  return (
    <span className="row wrap gap-1">
      <Badge variant={variants[state]}>{texts[state]}</Badge>
      {refund !== null && <Badge variant="tape">{texts.refunded(integer(refund.amount))}</Badge>}
    </span>
  )
}

const useColumns = (refund: (call: string) => void): ReadonlyArray<DataColumn<AccountCall>> => {
  const texts = useTexts(creditTexts)
  const { integer, time } = useNumbers()
  return useMemo(() => [
    {
      id: "operation",
      title: texts.operation,
      isHead: true,
      cell: (call) => (
        <>
          <code>{call.operation}</code>
          <span className={lists["under"]}>
            <CallState {...call} />
            <span>{time(call.time)}</span>
            <code>{call.call_id}</code>
          </span>
        </>
      )
    },
    { id: "call", title: texts.call, isMinor: true, cell: ({ call_id }) => <code>{call_id}</code> },
    {
      id: "time",
      title: texts.time,
      isMinor: true,
      cell: (call) => <span className={lists["when"]}>{time(call.time)}</span>
    },
    { id: "caller", title: texts.caller, isMinor: true, cell: ({ actor }) => <code>{actor}</code> },
    { id: "state", title: texts.state, isMinor: true, cell: (call) => <CallState {...call} /> },
    { id: "price", title: texts.price, isNumber: true, cell: ({ credits }) => integer(credits) },
    actionsColumn(
      texts.refundCall,
      ({ call_id, refund: earlierRefund, state }: AccountCall) =>
        state === "settled" && earlierRefund === null && (
          <Button
            variant="quiet"
            isSquare
            aria-label={texts.refundOf(call_id)}
            onPress={() => refund(call_id)}
          >
            <Undo2 aria-hidden />
          </Button>
        )
    )
  ], [texts, integer, time, refund])
}

/** The calls of an account in the current month, largest id first. */
export const CallsPanel = ({ account }: { readonly account: AdminAccount }) => {
  const texts = useTexts(creditTexts)
  const [callToRefund, setCallToRefund] = useState<string>()
  const { query } = useLocation()
  const page = { cursor: parseCursor(query.get("cursor")), limit: 50 }
  const calls = useAdminRequest(
    ["account calls", account.id, page],
    (client, options) => client.calls(account.id, page, options)
  )
  const columns = useColumns(setCallToRefund)
  return (
    <>
      <Panel isFlush>
        <RequestView request={calls}>
          {({ calls }) => (
            <DataTable
              label={texts.calls}
              rows={calls}
              columns={columns}
              rowId={({ call_id }) => call_id}
              empty={<EmptyState title={texts.noCalls} />}
            />
          )}
        </RequestView>
        {callToRefund !== undefined && (
          <AdjustDialog
            account={account}
            callId={callToRefund}
            onClose={() => setCallToRefund(undefined)}
          />
        )}
      </Panel>
      {calls.state === "loaded" && <Pager next={calls.data.next_cursor} />}
    </>
  )
}
