// The derived tables as the description has them, in plain DDL, for the tests of the checker. Written by hand and apart from
// the checker's own list of columns, so that the two can disagree.

const position = "block_height int8 not null, transaction_index int4 not null, event_index int4 not null"
const origin = "transaction_id bytea not null, timestamp timestamptz not null"
const end2 = (end: string) => `${end}_block_height int8, ${end}_transaction_index int4`
const end3 = (end: string) => `${end2(end)}, ${end}_event_index int4`
const amount = "numeric(78, 0)"

export const appTablesDdl = `
create table app.ft_transfers (${position}, ${origin}, contract_address bytea, from_address bytea, to_address bytea,
  amount ${amount}, kind text);
create table app.nft_transfers (${position}, batch_index int4, ${origin}, contract_address bytea, standard text,
  operator bytea, from_address bytea, to_address bytea, token_id ${amount}, amount ${amount}, kind text);
create table app.ft_tokens (contract_address bytea, transfer_count int8, minted numeric, burned numeric, event_rows int8,
  ${end3("first")}, ${end3("last")});
create table app.nft_collections (contract_address bytea, transfer_count int8, minted numeric, burned numeric,
  erc721_transfers int8, erc1155_transfers int8, event_rows int8, ${end3("first")}, ${end3("last")});
create table app.contracts (contract_address bytea, ft_transfers int8, nft_transfers int8, event_rows int8,
  ${end3("first")}, ${end3("last")});
create table app.evm_transactions (${position}, ${origin}, type int2, status int2, from_address bytea, to_address bytea,
  nonce ${amount}, value ${amount}, gas_limit ${amount}, gas_used ${amount}, gas_price ${amount},
  max_fee_per_gas ${amount}, max_priority_fee_per_gas ${amount}, effective_gas_price ${amount}, contract_address bytea,
  method_id bytea, input bytea, payload_hash bytea, payload_ref text, event_count int4);
create table app.evm_logs (${position}, ${origin}, address bytea, topic0 bytea, topic1 bytea, topic2 bytea, topic3 bytea,
  data bytea, payload_hash bytea, payload_ref text);
create table app.address_transactions (block_height int8, transaction_index int4, transaction_id bytea, address bytea,
  role text, timestamp timestamptz, first_of_transaction bool);
create table app.address_stats (address bytea, transaction_count int8, sent_count int8, received_count int8,
  token_sent_count int8, token_received_count int8, emitted_count int8, created_count int8, event_rows int8,
  ${end2("first")}, ${end2("last")});
create table app.contract_deployments (${position}, ${origin}, address bytea, deployer bytea, method text,
  init_code_hash bytea);
create table app.smart_contracts (address bytea, deployment_count int8, deployer bytea, transaction_id bytea, method text,
  init_code_hash bytea, event_rows int8, ${end3("first")}, ${end3("last")});
create table app.tx_metrics (block_height int8, transaction_index int4, ${origin}, from_address bytea, status int2,
  gas_limit ${amount}, gas_used ${amount}, effective_gas_price ${amount}, fee numeric, burnt numeric, event_count int4);
create table app.accounts (address bytea, transaction_count int8, created_count int8, transactions_sent int8,
  value_sent numeric, value_received numeric, fees_paid numeric, deployments int8, event_rows int8,
  ${end2("first")}, ${end2("last")});
create table app.ft_holdings (address bytea, contract_address bytea, balance numeric, transfers_in int8,
  transfers_out int8, event_rows int8);
create table app.nft_ownership (contract_address bytea, token_id ${amount}, owner bytea, transfer_count int8,
  event_rows int8, ${end3("first")}, first_batch_index int4, ${end3("last")}, last_batch_index int4);
create table app.nft_balances (contract_address bytea, token_id ${amount}, address bytea, balance numeric,
  transfers_in int8, transfers_out int8, event_rows int8);
create table app.tx_contracts (block_height int8, transaction_index int4, transaction_id bytea, contract_address bytea,
  called bool, event_count int4);
create table app.tx_tags (block_height int8, transaction_index int4, tag text, ${origin});
create table app.daily_stats (day date, transactions int8, failed int8, gas_used numeric, fees numeric, burnt numeric,
  events int8, ft_transfers int8, nft_transfers int8, deployments int8, event_rows int8);
create table app.metadata_subjects (contract_address bytea, ft_transfers int8, nft_transfers int8, event_rows int8,
  ${end3("first")});
create table app.search_subjects (address bytea, ft_transfers int8, nft_transfers int8, deployments int8, event_rows int8);
`
