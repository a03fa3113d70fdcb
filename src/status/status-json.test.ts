import { expect, test } from "vitest"
import { sampleDerived, sampleStatus } from "../../test/support/status-sample.js"
import { notYetKnown } from "./diagnosis.js"
import { statusJson } from "./status-json.js"

const tips = (status: Parameters<typeof statusJson>[0]) => {
  const { raw_tip_height, worker_tip_height, app_watermark_height } = statusJson(status, notYetKnown)
  return { raw_tip_height, worker_tip_height, app_watermark_height }
}

test("the tips are the highest height stored, and the highest that every worker has", () => {
  const derived = sampleDerived(sampleStatus(), [
    { name: "evm_worker" },
    {
      name: "token_worker",
      coverage: [
        { from: 0, to: 300 },
        { from: 1_135, to: 1_190 },
      ],
    },
  ])
  expect(tips(derived)).toEqual({
    raw_tip_height: "1199",
    worker_tip_height: "1189",
    app_watermark_height: "299",
  })
})

test("a worker without a height has no tip, and neither has a store without workers", () => {
  const idle = sampleDerived(sampleStatus(), [{ name: "evm_worker" }, { name: "token_worker", coverage: [] }])
  expect(tips(idle)).toEqual({ raw_tip_height: "1199", worker_tip_height: null, app_watermark_height: null })
  expect(tips(sampleStatus())).toMatchObject({ raw_tip_height: "1199", worker_tip_height: null })
  expect(tips(sampleStatus({}, { coverage: [] }))).toMatchObject({ raw_tip_height: null })
})
