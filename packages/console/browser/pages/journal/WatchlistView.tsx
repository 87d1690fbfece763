import { List, X } from "lucide-react"
import { useState } from "react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { useCachedResults, useRefetch } from "../../requests/cachedResults.ts"
import { usePricedLabel, usePrices } from "../../requests/catalogue.ts"
import { useToolQuery } from "../../requests/useToolQuery.ts"
import { useWrite, type WriteAction } from "../../requests/useWrite.ts"
import { fillPath } from "../../router/route.ts"
import { Button } from "../../widgets/Button.tsx"
import { CandidateRow } from "../../widgets/CandidateRow.tsx"
import { Change } from "../../widgets/Change.tsx"
import { actionsColumn, type DataColumn, DataTable, numberColumn } from "../../widgets/DataTable.tsx"
import { TextInput } from "../../widgets/fields.tsx"
import { useForm } from "../../widgets/forms.tsx"
import { Link, Panel } from "../../widgets/layout.tsx"
import { RefreshButton } from "../../widgets/RefreshButton.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { ResultNotesView } from "../../widgets/ResultNotesView.tsx"
import { EmptyState, ProblemNote, Skeleton } from "../../widgets/states.tsx"
import styles from "./Journal.module.css"
import { withCoins } from "./journal.ts"
import { type Watchlist, watchlistQuery } from "./queries.ts"
import { riskTexts } from "./riskTexts.ts"

type WatchlistRow = Watchlist["coins"][number]

interface WatchlistChange {
  readonly add?: ReadonlyArray<string>
  readonly remove?: ReadonlyArray<string>
}

/** Returns an action that removes coins from the watchlist, or adds coins and requests their prices. */
const useUpdateWatchlist = (onDone: () => void): WriteAction<WatchlistChange> => {
  const { update, invalidate } = useCachedResults()
  const refetch = useRefetch()
  return useWrite(
    "update_watchlist",
    (client, changes: WatchlistChange, options) => client.tools.update_watchlist(changes, options),
    ({ coins }, { add = [] }) => {
      update(watchlistQuery, (before) => withCoins(before, coins))
      if (add.length > 0) {
        invalidate(watchlistQuery.tool)
        refetch([watchlistQuery])
      }
      onDone()
    }
  )
}

const AddCoinsForm = () => {
  const texts = useTexts(riskTexts)
  const pricedLabel = usePricedLabel()
  const [text, setText] = useState("")
  const addAction = useUpdateWatchlist(() => setText(""))
  const { submit } = useForm(() => {
    const add = text.toUpperCase().split(/[\s,;]+/u).filter((one) => one !== "")
    if (add.length > 0) addAction.run({ add })
  })
  const { isRunning, candidates, issues, problem, unknownSymbol } = addAction
  const fault = Object.values(issues)[0] ?? unknownSymbol
  return (
    <form className="column gap-3" onSubmit={submit} noValidate>
      <div className={styles["adding"]}>
        <TextInput
          label={texts.addLabel}
          hint={texts.addHint}
          value={text}
          onChange={(next) => {
            setText(next)
            addAction.reset()
          }}
          fault={fault}
          isCode
        />
        <Button type="submit" isBusy={isRunning}>{pricedLabel(texts.add, "update_watchlist", "get_watchlist")}</Button>
      </div>
      <CandidateRow candidates={candidates} onSelect={setText} />
      {problem !== undefined && fault === undefined && <ProblemNote problem={problem} />}
    </form>
  )
}

const coinOf = ({ coin }: WatchlistRow): string => coin

const WatchlistTable = (
  { canWrite, coins }: { readonly coins: ReadonlyArray<WatchlistRow>; readonly canWrite: boolean }
) => {
  const texts = useTexts(riskTexts)
  const { figure } = useNumbers()
  const pricedLabel = usePricedLabel()
  const removeAction = useUpdateWatchlist(() => undefined)
  const columns: ReadonlyArray<DataColumn<WatchlistRow>> = [
    {
      id: "coin",
      title: texts.coin,
      isHead: true,
      order: coinOf,
      cell: ({ coin }) => <Link href={fillPath("/market/:coin", { coin })}>{coin}</Link>
    },
    numberColumn("price", texts.price, ({ price }) => price, figure),
    numberColumn("change", texts.change, ({ change_24h_pct }) => change_24h_pct, (pct) => <Change pct={pct} />),
    ...(canWrite
      ? [actionsColumn(texts.actions, ({ coin }: WatchlistRow) => (
        <Button
          variant="quiet"
          isSquare
          isBusy={removeAction.isRunning}
          aria-label={pricedLabel(texts.remove(coin), "update_watchlist")}
          onPress={() => removeAction.run({ remove: [coin] })}
        >
          <X aria-hidden />
        </Button>
      ))]
      : [])
  ]
  return (
    <>
      {removeAction.problem !== undefined && <ProblemNote problem={removeAction.problem} />}
      <DataTable label={texts.watchlist} rows={coins} columns={columns} rowId={coinOf} />
    </>
  )
}

export const WatchlistView = () => {
  const texts = useTexts(riskTexts)
  const canWrite = usePrices().has("update_watchlist")
  const request = useToolQuery(watchlistQuery)
  return (
    <RequestView request={request} placeholder={<Skeleton lines={8} />}>
      {(watchlist) => (
        <div className="column gap-3">
          <div className="row bottom wrap spread gap-3 gap-x-5">
            {canWrite && <AddCoinsForm />}
            <RefreshButton request={request} tool={watchlistQuery.tool} />
          </div>
          <Panel isFlush>
            {watchlist.coins.length === 0
              ? <EmptyState icon={List} title={texts.empty}>{texts.emptyDetail}</EmptyState>
              : <WatchlistTable coins={watchlist.coins} canWrite={canWrite} />}
          </Panel>
          {watchlist.coins.length > 0 && <ResultNotesView result={watchlist} />}
        </div>
      )}
    </RequestView>
  )
}
