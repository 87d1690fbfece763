import { SearchX } from "lucide-react"
import { type FormEvent, useMemo, useState } from "react"
import { usePaid } from "../../asking/usePaid.ts"
import { usePrices } from "../../asking/usePrices.ts"
import { navigate } from "../../router/location.ts"
import { filled } from "../../router/route.ts"
import { Button } from "../../widgets/Button.tsx"
import { Change } from "../../widgets/Change.tsx"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { SearchInput } from "../../widgets/fields.tsx"
import { Empty } from "../../widgets/states.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useFormats } from "../../words/formats.ts"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { type Overview, overviewAsk } from "./asks.ts"
import { coinsFor, tickerOf } from "./find.ts"
import styles from "./Market.module.css"
import { marketWords } from "./words.ts"

export type Listed = Overview["coins"][number]

export const coinHref = (coin: string): string => filled("/market/:coin", { coin })
const hrefOf = ({ coin }: Listed): string => coinHref(coin)
const idOf = ({ coin }: Listed): string => coin

/** Columns of the list of coins: all of them, or those that fit into a narrow list. */
const useColumns = (isNarrow: boolean): ReadonlyArray<DataColumn<Listed>> => {
  const says = useWords(marketWords)
  const { figure } = useNumbers()
  const { compactUsd, plain } = useFormats()
  return useMemo(() => {
    const biases = { bullish: says.bullish, bearish: says.bearish, neutral: says.neutral } as const
    const first: ReadonlyArray<DataColumn<Listed>> = [
      {
        id: "coin",
        title: says.coin,
        isHead: true,
        order: ({ coin }) => coin,
        cell: ({ coin }) => <strong className={styles["ticker"]}>{coin}</strong>
      },
      {
        id: "price",
        title: says.price,
        isNumber: true,
        order: ({ price }) => price,
        cell: ({ price }) => figure(price)
      },
      {
        id: "change",
        title: says.change24,
        isNumber: true,
        order: ({ change_24h_pct }) => change_24h_pct,
        cell: ({ change_24h_pct }) => <Change pct={change_24h_pct} />
      }
    ]
    if (isNarrow) return first
    const usd = (id: string, title: string, of: (row: Listed) => number | null): DataColumn<Listed> => ({
      id,
      title,
      isNumber: true,
      isMinor: true,
      order: of,
      cell: (row) => {
        const value = of(row)
        return value === null ? <span className={styles["faint"]}>–</span> : compactUsd(value)
      }
    })
    return [
      ...first,
      usd("volume", says.volume24, ({ volume_24h_usd }) => volume_24h_usd),
      usd("cap", says.cap, ({ market_cap_usd }) => market_cap_usd),
      {
        id: "score",
        title: says.score,
        isNumber: true,
        isMinor: true,
        order: ({ score }) => score,
        cell: ({ score }) => score === null ? <span className={styles["faint"]}>–</span> : plain(score, 0)
      },
      {
        id: "bias",
        title: says.bias,
        isMinor: true,
        order: ({ bias }) => bias,
        cell: ({ bias }) => bias === null ? "" : <span className={styles[`is-${bias}`]}>{biases[bias]}</span>
      }
    ]
  }, [says, figure, compactUsd, plain, isNarrow])
}

const Rows = ({ coins, isNarrow, text }: {
  readonly coins: ReadonlyArray<Listed>
  readonly text: string
  readonly isNarrow: boolean
}) => {
  const says = useWords(marketWords)
  const columns = useColumns(isNarrow)
  const found = useMemo(() => coinsFor(coins, text), [coins, text])
  const ticker = tickerOf(text)
  if (found.length === 0) {
    return (
      <Empty
        icon={SearchX}
        title={says.noCoin}
        action={ticker !== undefined && <Button onPress={() => navigate(coinHref(ticker))}>{says.goTo(ticker)}</Button>}
      >
        {says.noCoinMore}
      </Empty>
    )
  }
  return <DataTable label={says.coins} rows={found} columns={columns} rowId={idOf} href={hrefOf} />
}

/** A search field for coins. Enter opens the first match, or else the typed ticker. */
export const CoinSearch = ({ coins, onChange, text }: {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly coins: ReadonlyArray<Listed>
}) => {
  const says = useWords(marketWords)
  const go = (event: FormEvent) => {
    event.preventDefault()
    const to = text.trim() === "" ? undefined : coinsFor(coins, text)[0]?.coin ?? tickerOf(text)
    if (to !== undefined) navigate(coinHref(to))
  }
  return (
    <form role="search" onSubmit={go} className={styles["search"]}>
      <SearchInput label={says.search} value={text} onChange={onChange} />
    </form>
  )
}

/** The list of coins, with a search field. */
export const CoinList = ({ isNarrow, want }: {
  readonly isNarrow: boolean
  /** Requests the list; undefined if it is already requested. */
  readonly want?: (() => void) | undefined
}) => {
  const says = useWords(marketWords)
  const [text, setText] = useState("")
  const overview = usePaid(overviewAsk, { isIdle: want !== undefined })
  const cost = usePrices().get(overviewAsk.tool)
  const coins = overview.state === "told" ? overview.data.coins : []
  const isIdle = want !== undefined && overview.state === "waiting"
  return (
    <div className={styles["coins"]}>
      <CoinSearch text={text} onChange={setText} coins={coins} />
      {isIdle && cost !== undefined && (
        <div className={styles["want"]}>
          <Button onPress={want}>{says.showCoins(cost)}</Button>
        </div>
      )}
      {overview.state === "told"
        ? (
          <div className={styles["coinRows"]}>
            <Rows coins={coins} text={text} isNarrow={isNarrow} />
          </div>
        )
        : !isIdle && (
          <div className={styles["want"]}>
            <Told of={overview}>{() => null}</Told>
          </div>
        )}
    </div>
  )
}
