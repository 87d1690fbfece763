import { lazy, Suspense, useMemo, useState } from "react"
import { useFormats } from "../../i18n/formats.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { type ToolQueryState, useToolQuery } from "../../requests/useToolQuery.ts"
import { setQuery } from "../../router/location.ts"
import { pageLoader } from "../../router/PageLoader.ts"
import { Button } from "../../widgets/Button.tsx"
import { Change } from "../../widgets/Change.tsx"
import { Chips } from "../../widgets/Chips.tsx"
import { DataTable, numberColumn } from "../../widgets/DataTable.tsx"
import { Panel } from "../../widgets/layout.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, ProblemNote } from "../../widgets/states.tsx"
import { candleChangePct, endedMarks, runningMarks, runningSignalsOf, signalLines, toLevelLines } from "./candles.ts"
import styles from "./Market.module.css"
import { type Overlay, setSectionsOpen, useOpenSections } from "./openSections.ts"
import { OverlaySwitches } from "./OverlaySwitches.tsx"
import {
  activeSignalsQuery,
  type Candle,
  type Candles,
  endedSignalsQuery,
  type Levels,
  levelsQuery
} from "./queries.ts"
import { marketTexts } from "./texts.ts"
import { allTimeframes, type Timeframe } from "./timeframe.ts"

// Pages without a chart do not load the chart library.
const loadChart = async () => (await import("./CandleChart.tsx")).CandleChart
const CandleChart = lazy(async () => ({ default: await pageLoader.load("/market/:coin", loadChart) }))

const CandleTable = ({ candles, coin, tf }: {
  readonly coin: string
  readonly tf: Timeframe
  readonly candles: ReadonlyArray<Candle>
}) => {
  const texts = useTexts(marketTexts)
  const { figure } = useNumbers()
  const { compact, dayTime, utcDay } = useFormats()
  const rows = useMemo(() => candles.toReversed(), [candles])
  const formatTime = tf === "1d" ? utcDay : dayTime
  const makePriceColumn = (name: string, valueOf: (candle: Candle) => number) =>
    numberColumn(name, name, valueOf, figure)
  return (
    <div className={styles["tabled"]}>
      <DataTable
        label={texts.chartOf(coin, tf)}
        rows={rows}
        rowId={({ time }) => time}
        columns={[
          {
            id: "time",
            title: texts.time,
            isHead: true,
            order: ({ time }) => time,
            cell: ({ closed, time }) => (
              <span className="nowrap">
                {formatTime(Date.parse(time))}
                {closed === false && <span className="tape">· {texts.running}</span>}
              </span>
            )
          },
          makePriceColumn(texts.open, ({ open }) => open),
          makePriceColumn(texts.high, ({ high }) => high),
          makePriceColumn(texts.low, ({ low }) => low),
          makePriceColumn(texts.close, ({ close }) => close),
          numberColumn("change", texts.change, candleChangePct, (pct) => <Change pct={pct} />),
          numberColumn("volume", texts.volume, ({ volume }: Candle) => volume, compact, { isMinor: true })
        ]}
      />
    </div>
  )
}

type Level = Levels["supports"][number]

const LevelTable = ({ levels }: { readonly levels: Levels }) => {
  const texts = useTexts(marketTexts)
  const { figure } = useNumbers()
  const { decimal } = useFormats()
  const rows = useMemo(() => [
    ...levels.resistances.toReversed().map((level) => ({ ...level, side: texts.resistance })),
    ...levels.supports.map((level) => ({ ...level, side: texts.support }))
  ], [levels, texts])
  if (rows.length === 0) return <p className="soft small">{texts.noLevels}</p>
  return (
    <div className={styles["tabled"]}>
      <DataTable
        label={texts.levels}
        rows={rows}
        rowId={(_, index) => index}
        columns={[
          { id: "side", title: texts.levels, isHead: true, cell: ({ side }) => side },
          numberColumn("price", texts.price, ({ price }: Level) => price, figure),
          numberColumn(
            "distance",
            texts.distance,
            ({ distance_pct }: Level) => distance_pct,
            (pct) => <Change pct={pct} isArrow={false} />
          ),
          numberColumn("touches", texts.touches, ({ touches }: Level) => touches, String),
          numberColumn("strength", texts.strength, ({ strength }: Level) => strength, (value) => decimal(value, 0))
        ]}
      />
    </div>
  )
}

const useOverlays = (coin: string, tf: Timeframe, candles: ReadonlyArray<Candle>) => {
  const openSections = useOpenSections()
  const levels = useToolQuery(levelsQuery(coin, tf), { isDisabled: !openSections.has("levels") })
  const signals = useToolQuery(activeSignalsQuery, { isDisabled: !openSections.has("signals") })
  const ended = useToolQuery(endedSignalsQuery, { isDisabled: !openSections.has("ended") })
  const shownLevels = openSections.has("levels") && levels.state === "loaded" ? levels.data : undefined
  const shownSignals = openSections.has("signals") && signals.state === "loaded" ? signals.data : undefined
  const shownEndedSignals = openSections.has("ended") && ended.state === "loaded" ? ended.data : undefined
  const runningSignals = useMemo(
    () => shownSignals === undefined ? undefined : runningSignalsOf(shownSignals, coin),
    [shownSignals, coin]
  )
  const lines = useMemo(() => [
    ...(shownLevels === undefined ? [] : toLevelLines(shownLevels)),
    ...(runningSignals === undefined ? [] : signalLines(runningSignals))
  ], [shownLevels, runningSignals])
  const marks = useMemo(() =>
    [
      ...(runningSignals === undefined ? [] : runningMarks(runningSignals, candles, tf)),
      ...(shownEndedSignals === undefined ? [] : endedMarks(shownEndedSignals, coin, candles, tf))
    ].toSorted((a, b) => a.at - b.at), [runningSignals, shownEndedSignals, coin, candles, tf])
  const of: ReadonlyArray<readonly [Overlay, ToolQueryState<unknown>]> = [["levels", levels], ["signals", signals], [
    "ended",
    ended
  ]]
  const openOverlays = of.filter(([name]) => openSections.has(name))
  return {
    lines,
    marks,
    levels: shownLevels,
    runningSignals,
    shownEndedSignals,

    failed: openOverlays.flatMap(([name, query]) =>
      query.state !== "waiting" && query.problem !== undefined
        ? [{ name, problem: query.problem, again: query.refresh }]
        : []
    )
  }
}

const SignalSummary = (
  { coin, overlays }: { readonly coin: string; readonly overlays: ReturnType<typeof useOverlays> }
) => {
  const texts = useTexts(marketTexts)
  const { figure } = useNumbers()
  const { runningSignals, shownEndedSignals, marks } = overlays
  const ended = shownEndedSignals?.outcomes.filter((one) => one.coin === coin)
  return (
    <>
      {runningSignals?.length === 0 && <p className="soft small">{texts.noSignals(coin)}</p>}
      {runningSignals?.map((one) => (
        <p key={one.opened_at} className={styles["signal"]}>
          <strong className={one.side === "long" ? "up" : "down"}>
            {one.side === "long" ? `▲ ${texts.long}` : `▼ ${texts.short}`}
          </strong>{" "}
          {texts.signalIs(figure(one.entry), figure(one.take), figure(one.stop))} <Change pct={one.unrealised_pct} />
        </p>
      ))}
      {ended !== undefined && (
        <p className="soft small">
          {texts.endedFound(ended.length, marks.filter(({ kind }) => kind === "long" || kind === "short").length)}
        </p>
      )}
    </>
  )
}

const ChartBody = ({ candles: { candles }, coin, tf }: {
  readonly candles: Candles
  readonly coin: string
  readonly tf: Timeframe
}) => {
  const texts = useTexts(marketTexts)
  const openSections = useOpenSections()
  const [isTable, setIsTable] = useState(false)
  const overlays = useOverlays(coin, tf, candles)
  if (candles.length === 0) return <EmptyState title={texts.noCandles}>{texts.noCandlesDetail}</EmptyState>
  return (
    <>
      {overlays.failed.map(({ again, name, problem }) => <ProblemNote key={name} problem={problem} onRetry={again} />)}
      {isTable
        ? <CandleTable candles={candles} coin={coin} tf={tf} />
        : (
          <Suspense fallback={<div className={styles["chartBone"]} role="status" aria-label={texts.loading} />}>
            <CandleChart
              coin={coin}
              tf={tf}
              candles={candles}
              isVolume={openSections.has("volume")}
              lines={overlays.lines}
              marks={overlays.marks}
            />
          </Suspense>
        )}
      <SignalSummary coin={coin} overlays={overlays} />
      {isTable && overlays.levels !== undefined && <LevelTable levels={overlays.levels} />}
      <div className="row wrap spread gap-1 gap-x-4">
        <Button variant="quiet" onPress={() => setIsTable(!isTable)}>{isTable ? texts.asChart : texts.asTable}</Button>
        <span className="faint small">
          {texts.zone(tf === "1d")} · {texts.drawnBy}{" "}
          <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">TradingView Lightweight Charts™</a>, ©
          2025 TradingView, Inc.
        </span>
      </div>
    </>
  )
}

export const ChartPanel = ({ candles, coin, tf }: {
  readonly candles: ToolQueryState<Candles>
  readonly coin: string
  readonly tf: Timeframe
}) => {
  const texts = useTexts(marketTexts)
  return (
    <Panel isFlush>
      <div className={styles["tools"]}>
        <Chips
          label={texts.timeframe}
          selected={tf}
          onChange={(next) => setQuery({ tf: next === "1h" ? undefined : next })}
          options={allTimeframes.map((value) => ({ value, label: value }))}
        />
        <OverlaySwitches coin={coin} tf={tf} onChange={(name, isOn) => setSectionsOpen([name], isOn)} />
      </div>
      <div className={styles["chartBody"]}>
        <RequestView
          request={candles}
          placeholder={<div className={styles["chartBone"]} role="status" aria-label={texts.loading} />}
        >
          {(result) => <ChartBody key={`${coin} ${tf}`} candles={result} coin={coin} tf={tf} />}
        </RequestView>
      </div>
    </Panel>
  )
}
