import { lazy, Suspense, useMemo, useState } from "react"
import { type Paid, usePaid } from "../../asking/usePaid.ts"
import { arrivals } from "../../router/Arrivals.ts"
import { setQuery } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { Change } from "../../widgets/Change.tsx"
import { Chips } from "../../widgets/Chips.tsx"
import { DataTable } from "../../widgets/DataTable.tsx"
import { Panel } from "../../widgets/parts.tsx"
import { Empty, TroubleNote } from "../../widgets/states.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useFormats } from "../../words/formats.ts"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { activeSignalsAsk, type Candle, type Candles, endedSignalsAsk, type Levels, levelsAsk } from "./asks.ts"
import { changeOf, endedMarks, levelLines, runningMarks, runningOf, signalLines } from "./candles.ts"
import styles from "./Market.module.css"
import { type Overlay, setOpen, useOpened } from "./opened.ts"
import { Overlays } from "./Overlays.tsx"
import { allTimeframes, type Timeframe } from "./timeframe.ts"
import { marketWords } from "./words.ts"

// The chart library is loaded with the first chart. Other pages do not load it.
const loadChart = async () => (await import("./CandleChart.tsx")).CandleChart
const CandleChart = lazy(async () => ({ default: await arrivals.load("/market/:coin", loadChart) }))

const CandleTable = ({ candles, coin, tf }: {
  readonly coin: string
  readonly tf: Timeframe
  readonly candles: ReadonlyArray<Candle>
}) => {
  const says = useWords(marketWords)
  const { figure } = useNumbers()
  const { compact, moment, utcDay } = useFormats()
  const rows = useMemo(() => candles.toReversed(), [candles])
  const written = tf === "1d" ? utcDay : moment
  const price = (name: string, of: (candle: Candle) => number) => ({
    id: name,
    title: name,
    isNumber: true,
    order: of,
    cell: (candle: Candle) => figure(of(candle))
  })
  return (
    <div className={styles["tabled"]}>
      <DataTable
        label={says.chartOf(coin, tf)}
        rows={rows}
        rowId={({ time }) => time}
        columns={[
          {
            id: "time",
            title: says.time,
            isHead: true,
            order: ({ time }) => time,
            cell: ({ closed, time }) => (
              <span className={styles["whole"]}>
                {written(Date.parse(time))}
                {closed === false && <span className={styles["running"]}>· {says.running}</span>}
              </span>
            )
          },
          price(says.open, ({ open }) => open),
          price(says.high, ({ high }) => high),
          price(says.low, ({ low }) => low),
          price(says.close, ({ close }) => close),
          {
            id: "change",
            title: says.change,
            isNumber: true,
            order: changeOf,
            cell: (one) => <Change pct={changeOf(one)} />
          },
          {
            id: "volume",
            title: says.volume,
            isNumber: true,
            isMinor: true,
            order: ({ volume }) => volume,
            cell: ({ volume }) => compact(volume)
          }
        ]}
      />
    </div>
  )
}

const LevelTable = ({ levels }: { readonly levels: Levels }) => {
  const says = useWords(marketWords)
  const { figure } = useNumbers()
  const { plain } = useFormats()
  const rows = useMemo(() => [
    ...levels.resistances.toReversed().map((level) => ({ ...level, side: says.resistance })),
    ...levels.supports.map((level) => ({ ...level, side: says.support }))
  ], [levels, says])
  if (rows.length === 0) return <p className={styles["soft"]}>{says.noLevels}</p>
  return (
    <div className={styles["tabled"]}>
      <DataTable
        label={says.levels}
        rows={rows}
        rowId={(_, index) => index}
        columns={[
          { id: "side", title: says.levels, isHead: true, cell: ({ side }) => side },
          {
            id: "price",
            title: says.price,
            isNumber: true,
            order: ({ price }) => price,
            cell: ({ price }) => figure(price)
          },
          {
            id: "distance",
            title: says.distance,
            isNumber: true,
            order: ({ distance_pct }) => distance_pct,
            cell: ({ distance_pct }) => <Change pct={distance_pct} isArrow={false} />
          },
          {
            id: "touches",
            title: says.touches,
            isNumber: true,
            order: ({ touches }) => touches,
            cell: ({ touches }) => touches
          },
          {
            id: "strength",
            title: says.strength,
            isNumber: true,
            order: ({ strength }) => strength,
            cell: ({ strength }) => plain(strength, 0)
          }
        ]}
      />
    </div>
  )
}

/** The overlays of the candles that are switched on and loaded. */
const useOverlays = (coin: string, tf: Timeframe, candles: ReadonlyArray<Candle>) => {
  const opened = useOpened()
  const levels = usePaid(levelsAsk(coin, tf), { isIdle: !opened.has("levels") })
  const signals = usePaid(activeSignalsAsk, { isIdle: !opened.has("signals") })
  const ended = usePaid(endedSignalsAsk, { isIdle: !opened.has("ended") })
  const levelsTold = opened.has("levels") && levels.state === "told" ? levels.data : undefined
  const signalsTold = opened.has("signals") && signals.state === "told" ? signals.data : undefined
  const endedTold = opened.has("ended") && ended.state === "told" ? ended.data : undefined
  const running = useMemo(
    () => signalsTold === undefined ? undefined : runningOf(signalsTold, coin),
    [signalsTold, coin]
  )
  const lines = useMemo(() => [
    ...(levelsTold === undefined ? [] : levelLines(levelsTold)),
    ...(running === undefined ? [] : signalLines(running))
  ], [levelsTold, running])
  const marks = useMemo(() =>
    [
      ...(running === undefined ? [] : runningMarks(running, candles, tf)),
      ...(endedTold === undefined ? [] : endedMarks(endedTold, coin, candles, tf))
    ].toSorted((a, b) => a.at - b.at), [running, endedTold, coin, candles, tf])
  const of: ReadonlyArray<readonly [Overlay, Paid<unknown>]> = [["levels", levels], ["signals", signals], [
    "ended",
    ended
  ]]
  const shown = of.filter(([name]) => opened.has(name))
  return {
    lines,
    marks,
    levels: levelsTold,
    running,
    endedTold,

    failed: shown.flatMap(([name, paid]) =>
      paid.state !== "waiting" && paid.trouble !== undefined ? [{ name, trouble: paid.trouble, again: paid.again }] : []
    )
  }
}

/** The displayed signals in words. */
const SignalNote = ({ coin, over }: { readonly coin: string; readonly over: ReturnType<typeof useOverlays> }) => {
  const says = useWords(marketWords)
  const { figure } = useNumbers()
  const { running, endedTold, marks } = over
  const ended = endedTold?.outcomes.filter((one) => one.coin === coin)
  return (
    <>
      {running?.length === 0 && <p className={styles["soft"]}>{says.noSignals(coin)}</p>}
      {running?.map((one) => (
        <p key={one.opened_at} className={styles["signal"]}>
          <strong className={one.side === "long" ? styles["up"] : styles["down"]}>
            {one.side === "long" ? `▲ ${says.long}` : `▼ ${says.short}`}
          </strong>{" "}
          {says.signalIs(figure(one.entry), figure(one.take), figure(one.stop))} <Change pct={one.unrealised_pct} />
        </p>
      ))}
      {ended !== undefined && (
        <p className={styles["soft"]}>
          {says.endedFound(ended.length, marks.filter(({ kind }) => kind === "long" || kind === "short").length)}
        </p>
      )}
    </>
  )
}

const Drawn = ({ candles: { candles }, coin, tf }: {
  readonly candles: Candles
  readonly coin: string
  readonly tf: Timeframe
}) => {
  const says = useWords(marketWords)
  const opened = useOpened()
  const [isTable, setIsTable] = useState(false)
  const over = useOverlays(coin, tf, candles)
  if (candles.length === 0) return <Empty title={says.noCandles}>{says.noCandlesMore}</Empty>
  return (
    <>
      {over.failed.map(({ again, name, trouble }) => <TroubleNote key={name} trouble={trouble} again={again} />)}
      {isTable
        ? <CandleTable candles={candles} coin={coin} tf={tf} />
        : (
          <Suspense fallback={<div className={styles["chartBone"]} role="status" aria-label={says.loading} />}>
            <CandleChart
              coin={coin}
              tf={tf}
              candles={candles}
              isVolume={opened.has("volume")}
              lines={over.lines}
              marks={over.marks}
            />
          </Suspense>
        )}
      <SignalNote coin={coin} over={over} />
      {isTable && over.levels !== undefined && <LevelTable levels={over.levels} />}
      <div className={styles["under"]}>
        <Button look="quiet" onPress={() => setIsTable(!isTable)}>{isTable ? says.asChart : says.asTable}</Button>
        <span className={styles["attribution"]}>
          {says.zone(tf === "1d")} · {says.drawnBy}{" "}
          <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">TradingView Lightweight Charts™</a>, ©
          2025 TradingView, Inc.
        </span>
      </div>
    </>
  )
}

/** The candles of a coin with their overlays. */
export const ChartPanel = ({ candles, coin, tf }: {
  readonly candles: Paid<Candles>
  readonly coin: string
  readonly tf: Timeframe
}) => {
  const says = useWords(marketWords)
  return (
    <Panel isFlush>
      <div className={styles["tools"]}>
        <Chips
          label={says.timeframe}
          chosen={tf}
          onChange={(next) => setQuery({ tf: next === "1h" ? undefined : next })}
          options={allTimeframes.map((value) => ({ value, label: value }))}
        />
        <Overlays coin={coin} tf={tf} onChange={(name, isOn) => setOpen([name], isOn)} />
      </div>
      <div className={styles["chartBody"]}>
        <Told of={candles} waiting={<div className={styles["chartBone"]} role="status" aria-label={says.loading} />}>
          {(told) => <Drawn key={`${coin} ${tf}`} candles={told} coin={coin} tf={tf} />}
        </Told>
      </div>
    </Panel>
  )
}
