import { List, RefreshCw, SearchX } from "lucide-react"
import { useEffect, useState } from "react"
import { useFormats } from "../../i18n/formats.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { useRefetch } from "../../requests/cachedResults.ts"
import { usePrices } from "../../requests/catalogue.ts"
import { canCallAll, creditsPerHour, type ToolQuery, totalCost } from "../../requests/toolQuery.ts"
import { type ToolQueryState, useToolQuery } from "../../requests/useToolQuery.ts"
import { useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { Change } from "../../widgets/Change.tsx"
import { Dialog } from "../../widgets/Dialog.tsx"
import { BackLink, Link, Panel } from "../../widgets/layout.tsx"
import { Menu, MenuChoice } from "../../widgets/menus.tsx"
import { EmptyState, ProblemNote, ProblemState, Skeleton } from "../../widgets/states.tsx"
import { ChartPanel } from "./ChartPanel.tsx"
import { coinHref, CoinList } from "./CoinList.tsx"
import { CoinSections } from "./CoinSections.tsx"
import styles from "./Market.module.css"
import { sections, setSectionsOpen, useOpenSections } from "./openSections.ts"
import { activeSignalsQuery, candlesQuery, levelsQuery, type Price, priceQuery } from "./queries.ts"
import { parseTicker } from "./searchCoins.ts"
import { sectionQueries } from "./sectionQueries.ts"
import { SimulatedLabel } from "./SimulatedLabel.tsx"
import { marketTexts } from "./texts.ts"
import { parseTimeframe, type Timeframe } from "./timeframe.ts"

const refreshIntervals = { off: undefined, "30s": 30_000, "1m": 60_000, "5m": 300_000 } as const
type RefreshInterval = keyof typeof refreshIntervals
// The cast is safe because `Object.keys` returns the keys of the object, in the object's order, typed as `string`.
const refreshIntervalNames = Object.keys(refreshIntervals) as ReadonlyArray<RefreshInterval>

/**
 * The controls of a coin's page: a refresh button, and a menu of automatic refresh intervals. The menu shows the price
 * of each interval in credits per hour. The controls are invisible until the prices are loaded, so that the chart does
 * not move.
 */
const RefreshControls = ({ queries, isAsking, onIntervalChange, intervalName, refreshedQueries }: {
  readonly queries: ReadonlyArray<ToolQuery>
  readonly refreshedQueries: ReadonlyArray<ToolQuery>
  readonly isAsking: boolean
  readonly intervalName: RefreshInterval
  readonly onIntervalChange: (intervalName: RefreshInterval) => void
}) => {
  const texts = useTexts(marketTexts)
  const { integer } = useNumbers()
  const prices = usePrices()
  const refetch = useRefetch()
  const creditsPerRefresh = totalCost(refreshedQueries, prices)
  const label = (one: RefreshInterval): string => {
    const ms = refreshIntervals[one]
    return ms === undefined
      ? texts.autoRefreshOff
      : texts.autoRefreshEvery(one, integer(creditsPerHour(creditsPerRefresh, ms)))
  }
  return (
    <div className={`${styles["refreshing"]} ${prices.size === 0 ? "invisible" : ""}`}>
      <Button onPress={() => refetch(queries)} isBusy={isAsking}>
        <RefreshCw aria-hidden />
        {texts.refresh(totalCost(queries, prices))}
      </Button>
      <Menu
        label={texts.autoRefresh}
        button={<Button variant="quiet">{intervalName === "off" ? texts.autoRefresh : label(intervalName)}</Button>}
      >
        <MenuChoice
          title={texts.autoRefreshTitle}
          selected={intervalName}
          onChange={onIntervalChange}
          options={refreshIntervalNames.map((value) => ({ value, label: label(value) }))}
        />
      </Menu>
    </div>
  )
}

const PriceQuote = ({ price }: { readonly price: Price }) => {
  const texts = useTexts(marketTexts)
  const { figure } = useNumbers()
  const { timeOfDay, compactUsd } = useFormats()
  const facts = [
    [texts.low24, price.low_24h, figure],
    [texts.high24, price.high_24h, figure],
    [texts.volume24, price.volume_24h_usd, compactUsd],
    [texts.cap, price.market_cap_usd, compactUsd]
  ] as const
  return (
    <>
      <p className="row baseline wrap gap-x-2">
        <span className={styles["big"]}>{figure(price.price)}</span>
        <span className="soft small">USD</span>
        <span className={styles["bigChange"]}>
          <Change pct={price.change_24h_pct} />
        </span>
        <span className="soft small">{texts.asOf(timeOfDay(price.as_of))}</span>
        <SimulatedLabel source={price.source} />
      </p>
      <dl className={styles["facts"]}>
        {facts.map(([name, value, write]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value === null ? "–" : write(value)}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

const Candidates = ({ candidates }: { readonly candidates: ToolQueryState<unknown>["candidates"] }) => {
  const texts = useTexts(marketTexts)
  if (candidates.length === 0) return null
  return (
    <p className="row wrap gap-2">
      {texts.meant}{" "}
      {candidates.map(({ name, symbol }) => <Link key={symbol} href={coinHref(symbol)}>{`${symbol} (${name})`}</Link>)}
    </p>
  )
}

const UnknownCoin = ({ candidates, coin }: {
  readonly coin: string
  readonly candidates: ToolQueryState<unknown>["candidates"]
}) => {
  const texts = useTexts(marketTexts)
  return (
    <div role="alert">
      <EmptyState icon={SearchX} title={texts.unknownCoin(coin)} action={<Candidates candidates={candidates} />}>
        {texts.unknownCoinDetail}
      </EmptyState>
    </div>
  )
}

const CoinContent = ({ coin, tf }: { readonly coin: string; readonly tf: Timeframe }) => {
  const texts = useTexts(marketTexts)
  const openSections = useOpenSections()
  const prices = usePrices()
  const [intervalName, setIntervalName] = useState<RefreshInterval>("off")
  const refreshedQueries = [priceQuery(coin), candlesQuery(coin, tf)]
  const refreshMs = refreshIntervals[intervalName]
  const price = useToolQuery(priceQuery(coin), { refreshMs })
  const candles = useToolQuery(candlesQuery(coin, tf), { refreshMs })
  const hasStopped = intervalName !== "off" &&
    [price, candles].some((one) => one.state !== "waiting" && one.problem !== undefined)
  // An error stops the automatic refresh.
  if (hasStopped) setIntervalName("off")
  const queries = [
    ...refreshedQueries,
    ...(openSections.has("levels") ? [levelsQuery(coin, tf)] : []),
    ...(openSections.has("signals") ? [activeSignalsQuery] : []),
    ...sections.filter((part) => openSections.has(part)).flatMap((part) => sectionQueries(part, coin))
  ].filter((ask) => canCallAll([ask], prices))
  if (price.state === "failed" && price.isUnknownSymbol) {
    return <UnknownCoin coin={coin} candidates={price.candidates} />
  }
  if (price.state === "failed" && price.problem.kind !== "out of credits") {
    return (
      <ProblemState
        problem={price.problem}
        onRetry={price.refresh}
        remedy={<Candidates candidates={price.candidates} />}
      />
    )
  }
  return (
    <>
      <div className="row bottom wrap spread gap-3 gap-x-5">
        <div className={styles["headText"]}>
          {price.state === "loaded"
            ? <PriceQuote price={price.data} />
            : price.state === "waiting" && <Skeleton lines={1} />}
        </div>
        <RefreshControls
          queries={queries}
          refreshedQueries={refreshedQueries}
          isAsking={[price, candles].some((one) => one.state === "loaded" && one.isFetching)}
          intervalName={intervalName}
          onIntervalChange={setIntervalName}
        />
      </div>
      {price.state !== "waiting" && price.problem !== undefined && (
        <ProblemNote problem={price.problem} onRetry={price.refresh} />
      )}
      <ChartPanel candles={candles} coin={coin} tf={tf} />
      <p className={`soft small ${prices.size === 0 ? "invisible" : ""}`}>
        {texts.costs(totalCost(refreshedQueries, prices), totalCost(queries, prices))}
      </p>
    </>
  )
}

const KnownCoinSections = ({ coin }: { readonly coin: string }) => {
  const price = useToolQuery(priceQuery(coin))
  const isUnknown = price.state === "failed" && price.problem.kind !== "out of credits"
  return isUnknown ? null : <CoinSections coin={coin} />
}

const InvalidTicker = ({ text }: { readonly text: string }) => {
  const texts = useTexts(marketTexts)
  return (
    <EmptyState isPage title={texts.noTicker(text)} action={<Link href="/market">{texts.all}</Link>}>
      {texts.noTickerDetail}
    </EmptyState>
  )
}

export const CoinPage = ({ params: { coin: tickerParam } }: { readonly params: { readonly coin: string } }) => {
  const texts = useTexts(marketTexts)
  const { query } = useLocation()
  const openSections = useOpenSections()
  const [isListOpen, setIsListOpen] = useState(false)
  const coin = parseTicker(tickerParam)
  const tf = parseTimeframe(query.get("tf"))
  useEffect(() => {
    if (coin !== undefined) document.title = `${coin} · ${texts.title} · Tapeline`
  }, [coin, texts.title])
  if (coin === undefined) return <InvalidTicker text={tickerParam} />
  const list = (
    <CoinList
      isNarrow
      onRequest={openSections.has("coins") ? undefined : () => setSectionsOpen(["coins"], true)}
    />
  )
  return (
    <div className={styles["columns"]}>
      <div className={styles["column"]}>
        <div className="row gap-3">
          <BackLink href="/market">{texts.title}</BackLink>
          <h1>{coin}</h1>
          <span className={styles["choose"]}>
            <Button variant="quiet" onPress={() => setIsListOpen(true)}>
              <List aria-hidden />
              {texts.choose}
            </Button>
          </span>
        </div>
        <CoinContent key={coin} coin={coin} tf={tf} />
      </div>
      <div className={styles["rail"]}>
        <aside className={styles["others"]} aria-label={texts.coins}>
          <Panel isFlush>{list}</Panel>
        </aside>
        <KnownCoinSections coin={coin} />
      </div>
      <Dialog title={texts.choose} isOpen={isListOpen} onClose={() => setIsListOpen(false)}>{list}</Dialog>
    </div>
  )
}
