import { ArrowLeft, List, RefreshCw } from "lucide-react"
import { useEffect, useState } from "react"
import type { Ask } from "../../asking/ask.ts"
import { areOpen, costOf, hourly } from "../../asking/cost.ts"
import { useAskAgain } from "../../asking/useAskAgain.ts"
import { type Paid, usePaid } from "../../asking/usePaid.ts"
import { usePrices } from "../../asking/usePrices.ts"
import { useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { Change } from "../../widgets/Change.tsx"
import { Dialog } from "../../widgets/Dialog.tsx"
import { Menu, MenuChoice } from "../../widgets/menus.tsx"
import { Link, Panel } from "../../widgets/parts.tsx"
import { Empty, Skeleton, TroubleNote, TroubleState } from "../../widgets/states.tsx"
import { useFormats } from "../../words/formats.ts"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { activeSignalsAsk, candlesAsk, levelsAsk, type Price, priceAsk } from "./asks.ts"
import { ChartPanel } from "./ChartPanel.tsx"
import { coinHref, CoinList } from "./CoinList.tsx"
import { tickerOf } from "./find.ts"
import styles from "./Market.module.css"
import { parts, setOpen, useOpened } from "./opened.ts"
import { asksOf } from "./parts.ts"
import { Parts } from "./Parts.tsx"
import { type Timeframe, timeframeOf } from "./timeframe.ts"
import { marketWords } from "./words.ts"

/** The intervals of the automatic refresh, in ms. */
const paces = { off: undefined, "30s": 30_000, "1m": 60_000, "5m": 300_000 } as const
type Pace = keyof typeof paces
// In the order above.
const allPaces = Object.keys(paces) as ReadonlyArray<Pace>

/** Refreshes the data on demand, or automatically. The switch shows the cost of the automatic refresh. */
const Refreshing = ({ asks, isAsking, onPace, pace, paced }: {
  /** All displayed calls. */
  readonly asks: ReadonlyArray<Ask>
  /** The calls that the automatic refresh repeats. */
  readonly paced: ReadonlyArray<Ask>
  readonly isAsking: boolean
  readonly pace: Pace
  readonly onPace: (pace: Pace) => void
}) => {
  const says = useWords(marketWords)
  const { whole } = useNumbers()
  const prices = usePrices()
  const askAgain = useAskAgain()
  const each = costOf(paced, prices)
  const label = (one: Pace): string => {
    const ms = paces[one]
    return ms === undefined ? says.paceOff : says.pace(one, whole(hourly(each, ms)))
  }
  return (
    <div className={styles["refreshing"]}>
      <Button onPress={() => askAgain(asks)} isBusy={isAsking}>
        <RefreshCw aria-hidden />
        {says.refresh(costOf(asks, prices))}
      </Button>
      <Menu label={says.byItself} button={<Button look="quiet">{pace === "off" ? says.byItself : label(pace)}</Button>}>
        <MenuChoice
          title={says.paceTitle}
          chosen={pace}
          onChange={onPace}
          options={allPaces.map((value) => ({ value, label: label(value) }))}
        />
      </Menu>
    </div>
  )
}

const Quote = ({ price }: { readonly price: Price }) => {
  const says = useWords(marketWords)
  const { figure } = useNumbers()
  const { clock, compactUsd } = useFormats()
  const facts = [
    [says.low24, price.low_24h, figure],
    [says.high24, price.high_24h, figure],
    [says.volume24, price.volume_24h_usd, compactUsd],
    [says.cap, price.market_cap_usd, compactUsd]
  ] as const
  return (
    <>
      <p className={styles["quote"]}>
        <span className={styles["big"]}>{figure(price.price)}</span>
        <span className={styles["soft"]}>USD</span>
        <span className={styles["bigChange"]}>
          <Change pct={price.change_24h_pct} />
        </span>
        <span className={styles["soft"]}>{says.asOf(clock(price.as_of))}</span>
        {price.source === "simulated" && <span className={styles["simulated"]}>{says.simulated}</span>}
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

/** The instruments that an unknown name may mean. */
const Meant = ({ meant }: { readonly meant: Paid<unknown>["meant"] }) => {
  const says = useWords(marketWords)
  if (meant.length === 0) return null
  return (
    <p className={styles["meant"]}>
      {says.meant}{" "}
      {meant.map(({ name, symbol }) => <Link key={symbol} href={coinHref(symbol)}>{`${symbol} (${name})`}</Link>)}
    </p>
  )
}

const Coin = ({ coin, tf }: { readonly coin: string; readonly tf: Timeframe }) => {
  const says = useWords(marketWords)
  const opened = useOpened()
  const prices = usePrices()
  const [pace, setPace] = useState<Pace>("off")
  const paced = [priceAsk(coin), candlesAsk(coin, tf)]
  const everyMs = paces[pace]
  const price = usePaid(priceAsk(coin), { everyMs })
  const candles = usePaid(candlesAsk(coin, tf), { everyMs })
  const hasStopped = pace !== "off" &&
    [price, candles].some((one) => one.state !== "waiting" && one.trouble !== undefined)
  // After an error, only the user refreshes.
  if (hasStopped) setPace("off")
  const asks = [
    ...paced,
    ...(opened.has("levels") ? [levelsAsk(coin, tf)] : []),
    ...(opened.has("signals") ? [activeSignalsAsk] : []),
    ...parts.filter((part) => opened.has(part)).flatMap((part) => asksOf(part, coin))
  ].filter((ask) => areOpen([ask], prices))
  if (price.state === "trouble" && price.trouble.kind !== "out of credits") {
    return <TroubleState trouble={price.trouble} again={price.again} way={<Meant meant={price.meant} />} />
  }
  return (
    <>
      <div className={styles["head"]}>
        <div className={styles["headText"]}>
          {price.state === "told" ? <Quote price={price.data} /> : price.state === "waiting" && <Skeleton lines={2} />}
        </div>
        {prices.size > 0 && (
          <Refreshing
            asks={asks}
            paced={paced}
            isAsking={[price, candles].some((one) => one.state === "told" && one.isAsking)}
            pace={pace}
            onPace={setPace}
          />
        )}
      </div>
      {price.state !== "waiting" && price.trouble !== undefined && (
        <TroubleNote trouble={price.trouble} again={price.again} />
      )}
      <ChartPanel candles={candles} coin={coin} tf={tf} />
      {prices.size > 0 && <p className={styles["soft"]}>{says.costs(costOf(paced, prices), costOf(asks, prices))}</p>}
    </>
  )
}

/** The other parts of the page, if the coin exists. */
const Known = ({ coin }: { readonly coin: string }) => {
  const price = usePaid(priceAsk(coin))
  const isUnknown = price.state === "trouble" && price.trouble.kind !== "out of credits"
  return isUnknown ? null : <Parts coin={coin} />
}

const Unread = ({ text }: { readonly text: string }) => {
  const says = useWords(marketWords)
  return (
    <Empty isPage title={says.noTicker(text)} action={<Link href="/market">{says.all}</Link>}>
      {says.noTickerMore}
    </Empty>
  )
}

/** The page of one coin: its candles, and the parts that the user opens. */
export const CoinPage = ({ params: { coin: given } }: { readonly params: { readonly coin: string } }) => {
  const says = useWords(marketWords)
  const { query } = useLocation()
  const opened = useOpened()
  const [isChoosing, setIsChoosing] = useState(false)
  const coin = tickerOf(given)
  const tf = timeframeOf(query.get("tf"))
  useEffect(() => {
    if (coin !== undefined) document.title = `${coin} · ${says.title} · Tapeline`
  }, [coin, says.title])
  if (coin === undefined) return <Unread text={given} />
  const list = <CoinList isNarrow want={opened.has("coins") ? undefined : () => setOpen(["coins"], true)} />
  return (
    <div className={styles["columns"]}>
      <div className={styles["column"]}>
        <div className={styles["name"]}>
          <Link href="/market" look="block">
            <span className={styles["back"]}>
              <ArrowLeft aria-hidden />
              {says.title}
            </span>
          </Link>
          <h1>{coin}</h1>
          <span className={styles["choose"]}>
            <Button look="quiet" onPress={() => setIsChoosing(true)}>
              <List aria-hidden />
              {says.choose}
            </Button>
          </span>
        </div>
        <Coin key={coin} coin={coin} tf={tf} />
      </div>
      <div className={styles["rail"]}>
        <aside className={styles["others"]} aria-label={says.coins}>
          <Panel isFlush>{list}</Panel>
        </aside>
        <Known coin={coin} />
      </div>
      <Dialog title={says.choose} isOpen={isChoosing} onClose={() => setIsChoosing(false)}>{list}</Dialog>
    </div>
  )
}
