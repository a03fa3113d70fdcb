// Loaded into a process of the product with NODE_OPTIONS=--import: its wall clock is wrong by up to CLOCK_SKEW_MS, forwards or
// backwards, and jumps to another error twice a second where CLOCK_JUMPS is set. The monotonic clock stays true, as on a real machine.

const most = Number(process.env["CLOCK_SKEW_MS"] ?? 0)
if (most !== 0) {
  const RealDate = globalThis.Date
  let skew = most
  if (process.env["CLOCK_JUMPS"]) {
    const jump = () => {
      skew = Math.round((Math.random() * 2 - 1) * Math.abs(most))
    }
    setInterval(jump, 500).unref()
  }
  globalThis.Date = class SkewedDate extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(RealDate.now() + skew)
      else super(...args)
    }
    static now() {
      return RealDate.now() + skew
    }
  }
}
