import type { Adjustment, AdjustmentPage, AdminAccount } from "@tapeline/client/admin"
import { useMemo, useState } from "react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { readAllPages } from "../../requests/readAllPages.ts"
import { Button } from "../../widgets/Button.tsx"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { Panel } from "../../widgets/layout.tsx"
import lists from "../../widgets/lists.module.css"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState } from "../../widgets/states.tsx"
import { AdjustDialog } from "./AdjustDialog.tsx"
import { useAdminRequest } from "./adminAccess.tsx"
import styles from "./AdminPage.module.css"
import { creditTexts } from "./creditTexts.ts"

const useColumns = (): ReadonlyArray<DataColumn<Adjustment>> => {
  const texts = useTexts(creditTexts)
  const { integer, time } = useNumbers()
  return useMemo(() => [
    {
      id: "kind",
      title: texts.kind,
      isHead: true,
      order: ({ kind }) => kind,
      cell: ({ created_at, kind, month, reason, reference }) => (
        <>
          <span className="medium">{texts[kind]}</span>
          <span className={lists["under"]}>
            <span>{month}</span>
            <span>{time(created_at)}</span>
            <span className={styles["breakable"]}>{reason}</span>
            {reference !== null && <code className={styles["breakable"]}>{reference}</code>}
          </span>
        </>
      )
    },
    {
      id: "amount",
      title: texts.amount,
      isNumber: true,
      order: ({ amount }) => amount,
      cell: ({ amount }) => <span className={amount < 0 ? "bad" : ""}>{integer(amount)}</span>
    },
    { id: "month", title: texts.month, isMinor: true, order: ({ month }) => month, cell: ({ month }) => month },
    {
      id: "call",
      title: texts.call,
      isMinor: true,
      order: ({ call_id }) => call_id,
      cell: ({ call_id }) => call_id === null ? <span className="faint">–</span> : <code>{call_id}</code>
    },
    {
      id: "reason",
      title: texts.reason,
      isMinor: true,
      order: ({ reason }) => reason,
      cell: ({ reason }) => <span className={styles["breakable"]}>{reason}</span>
    },
    {
      id: "reference",
      title: texts.reference,
      isMinor: true,
      order: ({ reference }) => reference,
      cell: ({ reference }) =>
        reference === null
          ? <span className="faint">–</span>
          : <code className={styles["breakable"]}>{reference}</code>
    },
    {
      id: "time",
      title: texts.time,
      isMinor: true,
      order: ({ created_at }) => created_at,
      cell: ({ created_at }) => <span className={lists["when"]}>{time(created_at)}</span>
    }
  ], [texts, integer, time])
}

/** The credits of an account in the current month. */
const CreditBalance = ({ credits, month }: Pick<AdjustmentPage, "credits" | "month">) => {
  const texts = useTexts(creditTexts)
  const { integer } = useNumbers()
  const { adjusted, allotted, left, reserved, used } = credits
  return (
    <p className={styles["balance"]}>
      {texts.balance(integer(left), month)}
      <span className="faint">
        {texts.balanceParts(integer(allotted), integer(adjusted), integer(used), integer(reserved))}
      </span>
    </p>
  )
}

/** The credits of an account, its adjustments, newest first, and the form for a new one. */
export const CreditsPanel = ({ account }: { readonly account: AdminAccount }) => {
  const texts = useTexts(creditTexts)
  const [isAdjusting, setIsAdjusting] = useState(false)
  const adjustments = useAdminRequest(["account adjustments", account.id], async (client, options) => {
    const pages = await readAllPages(async (cursor) => {
      const page = await client.adjustments(account.id, { cursor, limit: 1000 }, options)
      return { items: [page], next: page.next_cursor }
    })
    const { credits, month } = pages.at(-1)!
    return { credits, month, adjustments: pages.flatMap(({ adjustments }) => adjustments).toReversed() }
  })
  const columns = useColumns()
  return (
    <Panel
      isFlush
      title={texts.adjustments}
      aside={<Button onPress={() => setIsAdjusting(true)}>{texts.adjust}</Button>}
    >
      <RequestView request={adjustments}>
        {({ adjustments, credits, month }) => (
          <>
            <CreditBalance credits={credits} month={month} />
            <DataTable
              label={texts.adjustments}
              rows={adjustments}
              columns={columns}
              rowId={({ id }) => id}
              empty={<EmptyState title={texts.none}>{texts.noneDetail}</EmptyState>}
            />
          </>
        )}
      </RequestView>
      {isAdjusting && <AdjustDialog account={account} onClose={() => setIsAdjusting(false)} />}
    </Panel>
  )
}
