// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import "./Token.sol";

/// A constant-product exchange with the events of Uniswap V2, for software that reads these.
contract Pair is TokenBalances {
    string public constant name = "Harbour Exchange Share";
    string public constant symbol = "HEX-LP";
    uint8 public constant decimals = 18;
    uint256 private constant MINIMUM_LIQUIDITY = 1000;

    address public immutable factory;
    address public token0;
    address public token1;
    uint112 private reserve0;
    uint112 private reserve1;
    uint32 private reservesAt;

    event Mint(address indexed sender, uint256 amount0, uint256 amount1);
    event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to);
    event Swap(
        address indexed sender,
        uint256 amount0In,
        uint256 amount1In,
        uint256 amount0Out,
        uint256 amount1Out,
        address indexed to
    );
    event Sync(uint112 reserve0, uint112 reserve1);

    constructor() {
        factory = msg.sender;
    }

    function initialize(address token0_, address token1_) external {
        require(msg.sender == factory, "Pair: only the factory");
        token0 = token0_;
        token1 = token1_;
    }

    function getReserves() public view returns (uint112, uint112, uint32) {
        return (reserve0, reserve1, reservesAt);
    }

    function mint(address to) external returns (uint256 liquidity) {
        (uint256 balance0, uint256 balance1) = _held();
        uint256 amount0 = balance0 - reserve0;
        uint256 amount1 = balance1 - reserve1;
        if (totalSupply == 0) {
            liquidity = _root(amount0 * amount1) - MINIMUM_LIQUIDITY;
            _mint(address(0), MINIMUM_LIQUIDITY);
        } else {
            uint256 share0 = (amount0 * totalSupply) / reserve0;
            uint256 share1 = (amount1 * totalSupply) / reserve1;
            liquidity = share0 < share1 ? share0 : share1;
        }
        require(liquidity > 0, "Pair: no liquidity minted");
        _mint(to, liquidity);
        _sync(balance0, balance1);
        emit Mint(msg.sender, amount0, amount1);
    }

    function burn(address to) external returns (uint256 amount0, uint256 amount1) {
        (uint256 balance0, uint256 balance1) = _held();
        uint256 liquidity = balanceOf[address(this)];
        amount0 = (liquidity * balance0) / totalSupply;
        amount1 = (liquidity * balance1) / totalSupply;
        require(amount0 > 0 && amount1 > 0, "Pair: no liquidity burned");
        _burn(address(this), liquidity);
        TokenBalances(token0).transfer(to, amount0);
        TokenBalances(token1).transfer(to, amount1);
        (balance0, balance1) = _held();
        _sync(balance0, balance1);
        emit Burn(msg.sender, amount0, amount1, to);
    }

    function swap(uint256 out0, uint256 out1, address to) external {
        require(out0 > 0 || out1 > 0, "Pair: nothing asked for");
        require(out0 < reserve0 && out1 < reserve1, "Pair: not enough liquidity");
        if (out0 > 0) TokenBalances(token0).transfer(to, out0);
        if (out1 > 0) TokenBalances(token1).transfer(to, out1);
        (uint256 balance0, uint256 balance1) = _held();
        uint256 in0 = balance0 > reserve0 - out0 ? balance0 - (reserve0 - out0) : 0;
        uint256 in1 = balance1 > reserve1 - out1 ? balance1 - (reserve1 - out1) : 0;
        require(in0 > 0 || in1 > 0, "Pair: nothing paid");
        require(
            (balance0 * 1000 - in0 * 3) * (balance1 * 1000 - in1 * 3) >= uint256(reserve0) * reserve1 * 1_000_000,
            "Pair: K"
        );
        _sync(balance0, balance1);
        emit Swap(msg.sender, in0, in1, out0, out1, to);
    }

    function _held() private view returns (uint256, uint256) {
        return (TokenBalances(token0).balanceOf(address(this)), TokenBalances(token1).balanceOf(address(this)));
    }

    function _sync(uint256 balance0, uint256 balance1) private {
        require(balance0 <= type(uint112).max && balance1 <= type(uint112).max, "Pair: overflow");
        reserve0 = uint112(balance0);
        reserve1 = uint112(balance1);
        reservesAt = uint32(block.timestamp);
        emit Sync(reserve0, reserve1);
    }

    function _root(uint256 value) private pure returns (uint256 root) {
        if (value < 4) return value == 0 ? 0 : 1;
        root = value;
        for (uint256 next = value / 2 + 1; next < root; next = (value / next + next) / 2) root = next;
    }
}

contract PairFactory {
    mapping(address => mapping(address => address)) public getPair;
    address[] public allPairs;

    event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count);

    function allPairsLength() external view returns (uint256) {
        return allPairs.length;
    }

    function createPair(address tokenA, address tokenB) external returns (address pair) {
        (address token0, address token1) = tokenA < tokenB ? (tokenA, tokenB) : (tokenB, tokenA);
        require(token0 != token1, "Factory: identical tokens");
        require(getPair[token0][token1] == address(0), "Factory: pair exists");
        pair = address(new Pair{salt: keccak256(abi.encodePacked(token0, token1))}());
        Pair(pair).initialize(token0, token1);
        getPair[token0][token1] = pair;
        getPair[token1][token0] = pair;
        allPairs.push(pair);
        emit PairCreated(token0, token1, pair, allPairs.length);
    }
}

contract Router {
    PairFactory public immutable factory;

    constructor(PairFactory factory_) {
        factory = factory_;
    }

    function addLiquidity(address tokenA, address tokenB, uint256 wantedA, uint256 wantedB) external {
        Pair pair = Pair(factory.getPair(tokenA, tokenB));
        (uint256 reserveA, uint256 reserveB) = _reserves(pair, tokenA);
        if (reserveA > 0) {
            uint256 matchingB = (wantedA * reserveB) / reserveA;
            if (matchingB <= wantedB) wantedB = matchingB;
            else wantedA = (wantedB * reserveA) / reserveB;
        }
        TokenBalances(tokenA).transferFrom(msg.sender, address(pair), wantedA);
        TokenBalances(tokenB).transferFrom(msg.sender, address(pair), wantedB);
        pair.mint(msg.sender);
    }

    function removeLiquidity(address tokenA, address tokenB, uint256 liquidity) external {
        Pair pair = Pair(factory.getPair(tokenA, tokenB));
        pair.transferFrom(msg.sender, address(pair), liquidity);
        pair.burn(msg.sender);
    }

    function swapExactTokensForTokens(uint256 amountIn, uint256 minimumOut, address[] calldata path, address to)
        external
    {
        TokenBalances(path[0]).transferFrom(msg.sender, factory.getPair(path[0], path[1]), amountIn);
        uint256 amount = amountIn;
        for (uint256 i = 0; i + 1 < path.length; i++) {
            Pair pair = Pair(factory.getPair(path[i], path[i + 1]));
            (uint256 reserveIn, uint256 reserveOut) = _reserves(pair, path[i]);
            amount = (amount * 997 * reserveOut) / (reserveIn * 1000 + amount * 997);
            address next = i + 2 < path.length ? factory.getPair(path[i + 1], path[i + 2]) : to;
            bool firstIn = pair.token0() == path[i];
            pair.swap(firstIn ? 0 : amount, firstIn ? amount : 0, next);
        }
        require(amount >= minimumOut, "Router: price moved");
    }

    function _reserves(Pair pair, address tokenA) private view returns (uint256, uint256) {
        (uint112 reserve0, uint112 reserve1, ) = pair.getReserves();
        return pair.token0() == tokenA ? (reserve0, reserve1) : (reserve1, reserve0);
    }
}
