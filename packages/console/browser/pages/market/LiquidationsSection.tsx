import { useMemo } from "react"
import { useFormats } from "../../i18n/formats.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { useToolQuery } from "../../requests/useToolQuery.ts"
import { DataTable, numberColumn } from "../../widgets/DataTable.tsx"
import { Figure, Figures } from "../../widgets/layout.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { ResultNotesView } from "../../widgets/ResultNotesView.tsx"
import { BarPlot } from "./BarPlot.tsx"
import styles from "./Market.module.css"
import { type Liquidations, liquidationsQuery } from "./queries.ts"
import { sectionTexts } from "./sectionTexts.ts"
import { liquidationBars } from "./series.ts"

type Liquidation = Liquidations["events"][number]

const LiquidationEvents = ({ events }: { readonly events: Liquidations["events"] }) => {
  const texts = useTexts(sectionTexts)
  const { figure } = useNumbers()
  const { compactUsd, dayTime } = useFormats()
  const rows = useMemo(() => events.toReversed(), [events])
  return (
    <details className={styles["details"]}>
      <summary>{texts.events(events.length)}</summary>
      <div className={styles["tabled"]}>
        <DataTable
          label={texts.liquidations}
          rows={rows}
          rowId={(_, index) => index}
          columns={[
            {
              id: "time",
              title: texts.time,
              isHead: true,
              order: ({ time }) => time,
              cell: ({ time }) => dayTime(time)
            },
            {
              id: "side",
              title: texts.side,
              order: ({ side }) => side,
              cell: ({ side }) => (
                <span className={side === "short" ? "up" : "down"}>
                  {side === "short" ? `▲ ${texts.short}` : `▼ ${texts.long}`}
                </span>
              )
            },
            numberColumn("price", texts.price, ({ price }: Liquidation) => price, figure),
            numberColumn("size", texts.size, ({ size_usd }: Liquidation) => size_usd, compactUsd)
          ]}
        />
      </div>
    </details>
  )
}

const LiquidationsView = ({ data }: { readonly data: Liquidations }) => {
  const texts = useTexts(sectionTexts)
  const { compactUsd, decimal } = useFormats()
  const { integer } = useNumbers()
  const bars = useMemo(() => liquidationBars(data), [data])
  // If a venue reports only some liquidations, the totals are lower bounds.
  const lowerBound = data.coverage === "sampled" ? "≥ " : ""
  const { count, long_usd, short_usd, skew } = data.totals
  return (
    <>
      <Figures>
        <Figure name={texts.longsClosed}>
          <span className="down">{lowerBound}{compactUsd(long_usd)}</span>
        </Figure>
        <Figure name={texts.shortsClosed}>
          <span className="up">{lowerBound}{compactUsd(short_usd)}</span>
        </Figure>
        <Figure name={texts.count} detail={texts.fromSize(compactUsd(data.min_size_usd))}>
          {lowerBound}
          {integer(count)}
        </Figure>
        <Figure name={texts.skew} detail={texts.skewDetail}>
          {skew === null ? "–" : `${skew > 0 ? "+" : ""}${decimal(skew)}`}
        </Figure>
      </Figures>
      {data.coverage === "sampled" && <p className={styles["bound"]}>{texts.sampled}</p>}
      {count === 0
        ? <p className="soft small">{texts.noLiquidations}</p>
        : (
          <>
            <BarPlot
              label={texts.liquidationHours}
              bars={bars}
              upName={texts.shorts}
              downName={texts.longs}
              format={(value) => `${lowerBound}${compactUsd(value)}`}
            />
            <LiquidationEvents events={data.events} />
          </>
        )}
      <ResultNotesView result={data} />
    </>
  )
}

export const LiquidationsSection = ({ coin }: { readonly coin: string }) => {
  const liquidations = useToolQuery(liquidationsQuery(coin))
  return <RequestView request={liquidations}>{(data) => <LiquidationsView data={data} />}</RequestView>
}
