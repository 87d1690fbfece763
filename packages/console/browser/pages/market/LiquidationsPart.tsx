import { useMemo } from "react"
import { usePaid } from "../../asking/usePaid.ts"
import { DataTable } from "../../widgets/DataTable.tsx"
import { Notes } from "../../widgets/Notes.tsx"
import { Figure, Figures } from "../../widgets/parts.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useFormats } from "../../words/formats.ts"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { type Liquidations, liquidationsAsk } from "./asks.ts"
import { BarPlot } from "./BarPlot.tsx"
import styles from "./Market.module.css"
import { partWords } from "./partWords.ts"
import { liquidationBars } from "./series.ts"

const Events = ({ events }: { readonly events: Liquidations["events"] }) => {
  const says = useWords(partWords)
  const { figure } = useNumbers()
  const { compactUsd, moment } = useFormats()
  const rows = useMemo(() => events.toReversed(), [events])
  return (
    <details className={styles["details"]}>
      <summary>{says.events(events.length)}</summary>
      <div className={styles["tabled"]}>
        <DataTable
          label={says.liquidations}
          rows={rows}
          rowId={(_, index) => index}
          columns={[
            { id: "time", title: says.time, isHead: true, order: ({ time }) => time, cell: ({ time }) => moment(time) },
            {
              id: "side",
              title: says.side,
              order: ({ side }) => side,
              cell: ({ side }) => (
                <span className={side === "short" ? styles["up"] : styles["down"]}>
                  {side === "short" ? `▲ ${says.short}` : `▼ ${says.long}`}
                </span>
              )
            },
            {
              id: "price",
              title: says.price,
              isNumber: true,
              order: ({ price }) => price,
              cell: ({ price }) => figure(price)
            },
            {
              id: "size",
              title: says.size,
              isNumber: true,
              order: ({ size_usd }) => size_usd,
              cell: ({ size_usd }) => compactUsd(size_usd)
            }
          ]}
        />
      </div>
    </details>
  )
}

const Body = ({ data }: { readonly data: Liquidations }) => {
  const says = useWords(partWords)
  const { compactUsd, plain } = useFormats()
  const { whole } = useNumbers()
  const bars = useMemo(() => liquidationBars(data), [data])
  // If a venue reports only some liquidations, the totals are lower bounds.
  const least = data.coverage === "sampled" ? "≥ " : ""
  const { count, long_usd, short_usd, skew } = data.totals
  return (
    <>
      <Figures>
        <Figure name={says.longsClosed}>
          <span className={styles["down"]}>{least}{compactUsd(long_usd)}</span>
        </Figure>
        <Figure name={says.shortsClosed}>
          <span className={styles["up"]}>{least}{compactUsd(short_usd)}</span>
        </Figure>
        <Figure name={says.count} more={says.fromSize(compactUsd(data.min_size_usd))}>{least}{whole(count)}</Figure>
        <Figure name={says.skew} more={says.skewMore}>
          {skew === null ? "–" : `${skew > 0 ? "+" : ""}${plain(skew)}`}
        </Figure>
      </Figures>
      {data.coverage === "sampled" && <p className={styles["bound"]}>{says.sampled}</p>}
      {count === 0
        ? <p className={styles["soft"]}>{says.noLiquidations}</p>
        : (
          <>
            <BarPlot
              label={says.liquidationHours}
              bars={bars}
              upName={says.shorts}
              downName={says.longs}
              write={(value) => `${least}${compactUsd(value)}`}
            />
            <Events events={data.events} />
          </>
        )}
      <Notes of={data} />
    </>
  )
}

/** The liquidations of one day. */
export const LiquidationsPart = ({ coin }: { readonly coin: string }) => {
  const liquidations = usePaid(liquidationsAsk(coin))
  return <Told of={liquidations}>{(data) => <Body data={data} />}</Told>
}
