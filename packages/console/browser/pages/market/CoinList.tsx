import { SearchX } from "lucide-react"
import { type FormEvent, useMemo, useState } from "react"
import { useFormats } from "../../i18n/formats.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { usePrices } from "../../requests/catalogue.ts"
import { useToolQuery } from "../../requests/useToolQuery.ts"
import { navigate } from "../../router/location.ts"
import { fillPath } from "../../router/route.ts"
import { Button } from "../../widgets/Button.tsx"
import { Change } from "../../widgets/Change.tsx"
import { type DataColumn, DataTable, numberColumn } from "../../widgets/DataTable.tsx"
import { SearchInput } from "../../widgets/fields.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState } from "../../widgets/states.tsx"
import { biasClasses } from "./biasClasses.ts"
import styles from "./Market.module.css"
import { type Overview, overviewQuery } from "./queries.ts"
import { parseTicker, searchCoins } from "./searchCoins.ts"
import { marketTexts } from "./texts.ts"

export type ListedCoin = Overview["coins"][number]

export const coinHref = (coin: string): string => fillPath("/market/:coin", { coin })
const coinRowHref = ({ coin }: ListedCoin): string => coinHref(coin)
const idOf = ({ coin }: ListedCoin): string => coin

const useColumns = (isNarrow: boolean): ReadonlyArray<DataColumn<ListedCoin>> => {
  const texts = useTexts(marketTexts)
  const { figure } = useNumbers()
  const { compactUsd, decimal } = useFormats()
  return useMemo(() => {
    const biases = { bullish: texts.bullish, bearish: texts.bearish, neutral: texts.neutral } as const
    const baseColumns: ReadonlyArray<DataColumn<ListedCoin>> = [
      {
        id: "coin",
        title: texts.coin,
        isHead: true,
        order: ({ coin }) => coin,
        cell: ({ coin }) => <strong className="bold">{coin}</strong>
      },
      numberColumn("price", texts.price, ({ price }) => price, figure),
      numberColumn("change", texts.change24, ({ change_24h_pct }) => change_24h_pct, (pct) => <Change pct={pct} />)
    ]
    if (isNarrow) return baseColumns
    return [
      ...baseColumns,
      numberColumn("volume", texts.volume24, ({ volume_24h_usd }) => volume_24h_usd, compactUsd, { isMinor: true }),
      numberColumn("cap", texts.cap, ({ market_cap_usd }) => market_cap_usd, compactUsd, { isMinor: true }),
      numberColumn("score", texts.score, ({ score }) => score, (value) => decimal(value, 0), { isMinor: true }),
      {
        id: "bias",
        title: texts.bias,
        isMinor: true,
        order: ({ bias }) => bias,
        cell: ({ bias }) => bias === null ? "" : <span className={biasClasses[bias]}>{biases[bias]}</span>
      }
    ]
  }, [texts, figure, compactUsd, decimal, isNarrow])
}

const CoinRows = ({ coins, isNarrow, text }: {
  readonly coins: ReadonlyArray<ListedCoin>
  readonly text: string
  readonly isNarrow: boolean
}) => {
  const texts = useTexts(marketTexts)
  const columns = useColumns(isNarrow)
  const matches = useMemo(() => searchCoins(coins, text), [coins, text])
  const ticker = parseTicker(text)
  if (matches.length === 0) {
    return (
      <EmptyState
        icon={SearchX}
        title={texts.noCoin}
        action={ticker !== undefined && (
          <Button onPress={() => navigate(coinHref(ticker))}>{texts.openCoin(ticker)}</Button>
        )}
      >
        {texts.noCoinDetail}
      </EmptyState>
    )
  }
  return <DataTable label={texts.coins} rows={matches} columns={columns} rowId={idOf} href={coinRowHref} />
}

/** The search field for coins. Enter opens the first match, or the typed ticker if no coin matches. */
export const CoinSearchForm = ({ coins, onChange, text }: {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly coins: ReadonlyArray<ListedCoin>
}) => {
  const texts = useTexts(marketTexts)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const to = text.trim() === "" ? undefined : searchCoins(coins, text)[0]?.coin ?? parseTicker(text)
    if (to !== undefined) navigate(coinHref(to))
  }
  return (
    <form role="search" onSubmit={onSubmit} className={styles["search"]}>
      <SearchInput label={texts.search} value={text} onChange={onChange} />
    </form>
  )
}

export const CoinList = ({ isNarrow, onRequest }: {
  readonly isNarrow: boolean
  /** Requests the coin list; undefined if the list is already requested. */
  readonly onRequest?: (() => void) | undefined
}) => {
  const texts = useTexts(marketTexts)
  const [text, setText] = useState("")
  const overview = useToolQuery(overviewQuery, { isDisabled: onRequest !== undefined })
  const cost = usePrices().get(overviewQuery.tool)
  const coins = overview.state === "loaded" ? overview.data.coins : []
  const isIdle = onRequest !== undefined && overview.state === "waiting"
  return (
    <div className="column">
      <CoinSearchForm text={text} onChange={setText} coins={coins} />
      {isIdle && cost !== undefined && (
        <div className={styles["want"]}>
          <Button onPress={onRequest}>{texts.showCoins(cost)}</Button>
        </div>
      )}
      {overview.state === "loaded"
        ? (
          <div className={styles["coinRows"]}>
            <CoinRows coins={coins} text={text} isNarrow={isNarrow} />
          </div>
        )
        : !isIdle && (
          <div className={styles["want"]}>
            <RequestView request={overview}>{() => null}</RequestView>
          </div>
        )}
    </div>
  )
}
