/** Templates of news stories about companies, in the format of `fillTemplate`. */

export const results = {
  en: {
    met: {
      title: "{name} meets estimates with {period} profit of {eps} a share",
      body:
        "{name} reported {period} earnings of {eps} a share, in line with the {estimate} that analysts had forecast. [Management kept its outlook for the year|The company blamed higher costs and cautious customers|Margins narrowed from a year earlier], [and said spending plans are unchanged|and a call with investors follows|as {sector} peers prepare to report]. [The shares react in the next session.|Cash flow stayed positive.]"
    },
    beat: {
      title: "{name} [beats|tops] estimates with {period} profit of {eps} a share",
      body:
        "{name} reported {period} earnings of {eps} a share, {pct} above the {estimate} that analysts had forecast. [Management raised its outlook for the year|The company pointed to resilient demand|Margins widened from a year earlier], [and said spending plans are unchanged|and a call with investors follows|as {sector} peers prepare to report]. [The shares react in the next session.|Cash flow stayed positive.]"
    },
    missed: {
      title: "{name} [misses|falls short of] estimates: {period} profit {eps} a share",
      body:
        "{name} reported {period} earnings of {eps} a share, {pct} below the {estimate} that analysts had forecast. [Management kept its outlook for the year|The company blamed higher costs and cautious customers|Margins narrowed from a year earlier], [and said spending plans are unchanged|and a call with investors follows|as {sector} peers prepare to report]. [The shares react in the next session.|Cash flow stayed positive.]"
    }
  },
  ko: {
    met: {
      title: "{name} {period} 주당순이익 {eps}… [시장|컨센서스] 부합",
      body:
        "{name}은(는) {period} 주당순이익이 {eps}라고 공시했다. 시장 예상치 {estimate} 대비 {pct} 차이로 부합했다. [회사는 하반기 수요 회복을 기대한다고 밝혔다.|증권가는 목표주가 조정에 나설 것으로 보인다.|원가 부담과 환율이 변수로 꼽힌다.]"
    },
    beat: {
      title: "{name} {period} 주당순이익 {eps}… [시장|컨센서스] 상회",
      body:
        "{name}은(는) {period} 주당순이익이 {eps}라고 공시했다. 시장 예상치 {estimate} 대비 {pct} 높은 호실적이다. [회사는 하반기 수요 회복을 기대한다고 밝혔다.|증권가는 목표주가 조정에 나설 것으로 보인다.|원가 부담과 환율이 변수로 꼽힌다.]"
    },
    missed: {
      title: "{name} {period} 주당순이익 {eps}… [시장|컨센서스] 하회",
      body:
        "{name}은(는) {period} 주당순이익이 {eps}라고 공시했다. 시장 예상치 {estimate} 대비 {pct} 낮은 수준이다. [회사는 하반기 수요 회복을 기대한다고 밝혔다.|증권가는 목표주가 조정에 나설 것으로 보인다.|원가 부담과 환율이 변수로 꼽힌다.]"
    }
  }
}

export const strongDay = {
  en: {
    up: {
      title: "{name} shares [jump|rally] {pct} [to close at {price}|in heavy trading]",
      body:
        "{name} ({symbol}) rose {pct} to {price} at the close. [The move stood out within the {sector} group|It was among the widest swings of the session], [on volume well above average|with options activity picking up]. [No single headline explained it.|Analysts were divided over what comes next.]"
    },
    down: {
      title: "{name} shares [slide|drop] {pct} [to close at {price}|in heavy trading]",
      body:
        "{name} ({symbol}) fell {pct} to {price} at the close. [The move stood out within the {sector} group|It was among the widest swings of the session], [on volume well above average|with options activity picking up]. [No single headline explained it.|Analysts were divided over what comes next.]"
    }
  },
  ko: {
    up: {
      title: "{name} {pct} [급등|강세] 마감",
      body:
        "{name} 주가가 {pct} 오른 {price}에 거래를 마쳤다. [외국인과 기관의 수급이 엇갈렸다.|업종 전반의 투자심리가 영향을 줬다.] [증권가 해석은 나뉜다.|거래량도 평소를 웃돌았다.]"
    },
    down: {
      title: "{name} {pct} [급락|약세] 마감",
      body:
        "{name} 주가가 {pct} 내린 {price}에 거래를 마쳤다. [외국인과 기관의 수급이 엇갈렸다.|업종 전반의 투자심리가 영향을 줬다.] [증권가 해석은 나뉜다.|거래량도 평소를 웃돌았다.]"
    }
  }
}

export const gradeChange = {
  better: {
    title: "{firm} upgrades {name} to {after}",
    body:
      "Analysts at {firm} moved {name} from {before} to {after} with a price target of {target}. [They see earnings power that the market undervalues|The note cites improving margins], [and expects the next report to settle the debate|while keeping estimates broadly unchanged]."
  },
  worse: {
    title: "{firm} downgrades {name} to {after}",
    body:
      "Analysts at {firm} moved {name} from {before} to {after} with a price target of {target}. [They warn that expectations have run ahead of earnings|The note cites weaker orders], [and expects the next report to settle the debate|while keeping estimates broadly unchanged]."
  }
}

/** Sentences about a company filing, by kind; filings of other kinds have no story. */
export const filingBodies: Readonly<Record<string, ReadonlyArray<string>>> = {
  contract: [
    "이번 계약은 최근 매출액의 일정 비율에 해당하며 계약 기간은 공시를 통해 공개됐다.",
    "상대방과 금액은 경영상 비밀유지 요청에 따라 일부 유보됐다."
  ],
  capital: [
    "회사 측은 주주가치와 재무구조를 고려한 결정이라고 설명했다.",
    "이사회 결의에 따른 것으로, 일정은 변경될 수 있다."
  ],
  governance: ["주주총회 안건과 일정은 추후 확정된다.", "이사회 구성 변화가 경영에 미칠 영향이 주목된다."]
}
