import { List, X } from "lucide-react"
import { type SubmitEvent, useState } from "react"
import { useAskAgain } from "../../asking/useAskAgain.ts"
import { usePaid } from "../../asking/usePaid.ts"
import { usePriced } from "../../asking/usePriced.ts"
import { usePrices } from "../../asking/usePrices.ts"
import { useToldBefore } from "../../asking/useToldBefore.ts"
import { useWrite, type Writing } from "../../asking/useWrite.ts"
import { filled } from "../../router/route.ts"
import { Button } from "../../widgets/Button.tsx"
import { Change } from "../../widgets/Change.tsx"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { TextInput } from "../../widgets/fields.tsx"
import forms from "../../widgets/forms.module.css"
import { MeantRow } from "../../widgets/MeantRow.tsx"
import { Notes } from "../../widgets/Notes.tsx"
import { Link, Panel } from "../../widgets/parts.tsx"
import { Refresh } from "../../widgets/Refresh.tsx"
import { Empty, Skeleton, TroubleNote } from "../../widgets/states.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { type Watchlist, watchlistAsk } from "./asks.ts"
import styles from "./Journal.module.css"
import { withCoins } from "./journal.ts"
import { riskWords } from "./riskWords.ts"

type Row = Watchlist["coins"][number]

interface WatchChange {
  readonly add?: ReadonlyArray<string>
  readonly remove?: ReadonlyArray<string>
}

/** Changes the list. The prices of new coins are requested. */
const useChangeList = (done: () => void): Writing<WatchChange> => {
  const { change, outdate } = useToldBefore()
  const askAgain = useAskAgain()
  return useWrite(
    "update_watchlist",
    (client, what: WatchChange, options) => client.tools.update_watchlist(what, options),
    ({ coins }, { add = [] }) => {
      change(watchlistAsk, (before) => withCoins(before, coins))
      if (add.length > 0) {
        outdate(watchlistAsk.tool)
        askAgain([watchlistAsk])
      }
      done()
    }
  )
}

const Adding = () => {
  const says = useWords(riskWords)
  const priced = usePriced()
  const [text, setText] = useState("")
  const adding = useChangeList(() => setText(""))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const add = text.toUpperCase().split(/[\s,;]+/u).filter((one) => one !== "")
    if (add.length > 0) adding.run({ add })
  }
  const { isRunning, meant, refused, trouble, unknown } = adding
  const fault = Object.values(refused)[0] ?? unknown
  return (
    <form className={forms["form"]} onSubmit={submit} noValidate>
      <div className={styles["adding"]}>
        <TextInput
          label={says.addLabel}
          hint={says.addHint}
          value={text}
          onChange={(next) => {
            setText(next)
            adding.forget()
          }}
          fault={fault}
          isCode
        />
        <Button type="submit" isBusy={isRunning}>{priced(says.add, "update_watchlist", "get_watchlist")}</Button>
      </div>
      <MeantRow meant={meant} onTake={setText} />
      {trouble !== undefined && fault === undefined && <TroubleNote trouble={trouble} />}
    </form>
  )
}

const coinOf = ({ coin }: Row): string => coin

const Rows = ({ canWrite, coins }: { readonly coins: ReadonlyArray<Row>; readonly canWrite: boolean }) => {
  const says = useWords(riskWords)
  const { figure } = useNumbers()
  const priced = usePriced()
  const removing = useChangeList(() => undefined)
  const columns: ReadonlyArray<DataColumn<Row>> = [
    {
      id: "coin",
      title: says.coin,
      isHead: true,
      order: coinOf,
      cell: ({ coin }) => <Link href={filled("/market/:coin", { coin })}>{coin}</Link>
    },
    {
      id: "price",
      title: says.price,
      isNumber: true,
      order: ({ price }) => price,
      cell: ({ price }) => price === null ? <span className={styles["soft"]}>–</span> : figure(price)
    },
    {
      id: "change",
      title: says.change,
      isNumber: true,
      order: ({ change_24h_pct }) => change_24h_pct,
      cell: ({ change_24h_pct }) => <Change pct={change_24h_pct} />
    },
    ...(canWrite
      ? [{
        id: "actions",
        title: says.actions,
        isNumber: true,
        cell: ({ coin }: Row) => (
          <Button
            look="quiet"
            isSquare
            isBusy={removing.isRunning}
            aria-label={priced(says.remove(coin), "update_watchlist")}
            onPress={() => removing.run({ remove: [coin] })}
          >
            <X aria-hidden />
          </Button>
        )
      }]
      : [])
  ]
  return (
    <>
      {removing.trouble !== undefined && <TroubleNote trouble={removing.trouble} />}
      <DataTable label={says.watchlist} rows={coins} columns={columns} rowId={coinOf} />
    </>
  )
}

/** The account's watchlist. */
export const WatchlistView = () => {
  const says = useWords(riskWords)
  const canWrite = usePrices().has("update_watchlist")
  const asked = usePaid(watchlistAsk)
  return (
    <Told of={asked} waiting={<Skeleton lines={8} />}>
      {(told) => (
        <div className={styles["view"]}>
          <div className={styles["bar"]}>
            {canWrite && <Adding />}
            <Refresh of={asked} tool={watchlistAsk.tool} />
          </div>
          <Panel isFlush>
            {told.coins.length === 0
              ? <Empty icon={List} title={says.empty}>{says.emptyMore}</Empty>
              : <Rows coins={told.coins} canWrite={canWrite} />}
          </Panel>
          {told.coins.length > 0 && <Notes of={told} />}
        </div>
      )}
    </Told>
  )
}
