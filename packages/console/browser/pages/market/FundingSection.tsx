import { useMemo } from "react"
import { useFormats } from "../../i18n/formats.ts"
import { useTexts } from "../../i18n/texts.ts"
import { useToolQuery } from "../../requests/useToolQuery.ts"
import { Change } from "../../widgets/Change.tsx"
import { DataTable, numberColumn } from "../../widgets/DataTable.tsx"
import { Figure, Figures } from "../../widgets/layout.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { ResultNotesView } from "../../widgets/ResultNotesView.tsx"
import { BarPlot } from "./BarPlot.tsx"
import styles from "./Market.module.css"
import { type FundingByVenue, fundingQuery, type Positioning, positioningQuery } from "./queries.ts"
import { sectionTexts } from "./sectionTexts.ts"
import { rate8h, signedBars, toPoints } from "./series.ts"

type VenueFunding = FundingByVenue["venues"][number]

const FundingByVenueView = ({ data }: { readonly data: FundingByVenue }) => {
  const texts = useTexts(sectionTexts)
  const { timeOfDay, compactUsd } = useFormats()
  const { long_venue, short_venue, spread_annualised_pct, venues, weighted_annualised_pct } = data
  return (
    <>
      <Figures>
        <Figure name={texts.fundingMean} detail={texts.ofYear}>
          <Change pct={weighted_annualised_pct} isArrow={false} />
        </Figure>
        {long_venue !== null && short_venue !== null && (
          <Figure name={texts.spread} detail={texts.spreadOf(long_venue, short_venue)}>
            <Change pct={spread_annualised_pct} isArrow={false} />
          </Figure>
        )}
      </Figures>
      <div className={styles["tabled"]}>
        <DataTable
          label={texts.byVenue}
          rows={venues}
          rowId={({ venue }) => venue}
          columns={[
            {
              id: "venue",
              title: texts.venue,
              isHead: true,
              order: ({ venue }) => venue,
              cell: ({ venue }) => <span className="nowrap">{venue}</span>
            },
            numberColumn(
              "rate",
              texts.rate8h,
              ({ rate_8h_pct }: VenueFunding) => rate_8h_pct,
              (pct) => <Change pct={pct} digits={4} isArrow={false} />
            ),
            numberColumn(
              "year",
              texts.annualised,
              ({ annualised_pct }: VenueFunding) => annualised_pct,
              (pct) => <Change pct={pct} isArrow={false} />
            ),
            {
              id: "next",
              title: texts.next,
              isNumber: true,
              isMinor: true,
              order: ({ next_time }) => next_time,
              cell: ({ next_time }) => next_time === null ? texts.continuous : timeOfDay(next_time)
            },
            numberColumn(
              "open",
              texts.openInterest,
              ({ open_interest_usd }: VenueFunding) => open_interest_usd,
              compactUsd,
              { isMinor: true }
            )
          ]}
        />
      </div>
      <ResultNotesView result={data} />
    </>
  )
}

const FundingHistory = ({ data }: { readonly data: Positioning }) => {
  const texts = useTexts(sectionTexts)
  const { percent } = useFormats()
  const bars = useMemo(() => signedBars(toPoints(data.points, rate8h)), [data])
  return (
    <BarPlot
      label={texts.fundingHistory}
      bars={bars}
      upName={texts.longsPay}
      downName={texts.shortsPay}
      format={(value) => percent(value, 4)}
    />
  )
}

export const FundingSection = ({ coin }: { readonly coin: string }) => {
  const venues = useToolQuery(fundingQuery(coin))
  const history = useToolQuery(positioningQuery(coin))
  return (
    <>
      <RequestView request={venues}>{(data) => <FundingByVenueView data={data} />}</RequestView>
      <RequestView request={history}>{(data) => <FundingHistory data={data} />}</RequestView>
    </>
  )
}
